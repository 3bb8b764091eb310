"""A user's own wordings: parsing, checking against the columns of a file, and filling in."""
