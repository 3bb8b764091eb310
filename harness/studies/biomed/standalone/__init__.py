"""Scorers and analyses of the study that can be called on their own, with their inputs and outputs."""
