"""Readers of golden files, one module a study."""
