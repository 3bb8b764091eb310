"""The second rule set, OURS-v2, and its readers of numbers, places, options and claims."""
