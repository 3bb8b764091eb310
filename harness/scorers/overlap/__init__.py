"""How much of a text another text says: n-grams, common subsequences, token vectors."""
