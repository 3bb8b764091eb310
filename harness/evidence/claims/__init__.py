"""Claims: published numbers, orders and bounds compared with outputs of runs, and counts of other attempts."""
