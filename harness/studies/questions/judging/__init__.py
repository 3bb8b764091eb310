"""Judges of answers: a model that grades by a rubric, and similarity to the target by an encoder."""
