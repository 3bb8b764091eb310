"""Measures: means, slices, tables and comparisons computed from scores."""
