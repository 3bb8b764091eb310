"""Rows of a person's own file, read into items, golds and examples."""
