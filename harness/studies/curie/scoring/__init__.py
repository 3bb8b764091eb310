"""Scoring: the rules of every metric, and the score steps that apply them to answers."""
