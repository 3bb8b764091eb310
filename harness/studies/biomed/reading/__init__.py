"""Texts read into facts: what an answer says of which thing, and whether it says that it does not know."""
