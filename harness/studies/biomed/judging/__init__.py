"""Graders of answers: the rule of our own, and a language model that is asked with the rubric."""
