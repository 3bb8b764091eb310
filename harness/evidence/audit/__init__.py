"""The audit of one run: its lines, steps and values checked, and its deterministic steps made again."""
