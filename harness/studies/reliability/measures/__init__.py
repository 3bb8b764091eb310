"""Statistics computed from labels: shares over bins, indicators, their intervals and comparisons."""
