"""Scorers and analyses: pure functions that are usable alone."""
