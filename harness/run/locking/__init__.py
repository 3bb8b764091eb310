"""Locking: what the names of a manifest resolve to: datasets, models, tables, certificates."""
