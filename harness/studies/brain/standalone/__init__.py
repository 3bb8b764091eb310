"""The study's analyses as standalone tools."""
