"""The study's analyses as they are called alone."""
