"""Graders of answers: our own rule, and a language model that is asked with the rubric."""
