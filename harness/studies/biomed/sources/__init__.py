"""The five source tables: their columns, the readers of their files, and synthetic tables in their place (OURS)."""
