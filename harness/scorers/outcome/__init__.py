"""Correct, avoidant or incorrect: the rules of each benchmark, one module a benchmark."""
