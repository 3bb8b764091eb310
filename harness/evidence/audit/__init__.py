"""The audit of one run: journal, steps, keys and blobs checked, and its deterministic steps executed again."""
