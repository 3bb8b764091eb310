"""Scorers and analyses: pure functions that can be called on their own."""
