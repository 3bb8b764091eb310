"""Makers of data from published files."""
