"""Rules that read what an answer says: a sum, an anagram, a city, a letter, a transformed text."""
