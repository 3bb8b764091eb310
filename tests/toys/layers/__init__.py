"""A toy study of what models make of sentences inside."""
