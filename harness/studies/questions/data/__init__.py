"""Turns the rows of a user's own file into items, golds and examples."""
