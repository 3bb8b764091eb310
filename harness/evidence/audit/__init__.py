"""The audit of one run: its journal, steps, keys and blobs checked, and, on demand, steps executed again."""
