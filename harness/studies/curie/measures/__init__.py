"""Measures: means, slices, tables and comparisons that are computed from scores."""
