"""Wordings of one's own: read, checked against the columns of a file, and filled in."""
