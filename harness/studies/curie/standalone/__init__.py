"""Standalone: the scorers and analyses that can be called by name, outside of a run."""
