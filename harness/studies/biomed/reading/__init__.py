"""Texts read into facts: what an answer says about which thing, and whether it says that it does not know."""
