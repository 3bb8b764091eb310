"""Labelling rules of each benchmark (correct, avoidant or incorrect), one module a benchmark."""
