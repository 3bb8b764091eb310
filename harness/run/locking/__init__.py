"""Locking: resolves the names in a manifest, which are those of datasets, models, tables and certificates."""
