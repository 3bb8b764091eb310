"""The five source tables: their columns, how a file of each is read, and synthetic ones to stand in for them (OURS)."""
