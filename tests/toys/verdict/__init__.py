"""Verdict: sums that a model answers in words, graded by another one."""
