"""Scores of recorded runs: tables, costs, comparisons, and single answers."""
