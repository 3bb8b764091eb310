"""Judges of answers: a rubric that a model grades by, and likeness by an encoder."""
