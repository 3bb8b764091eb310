"""The toy study `verdict`: sums that a model answers in words, graded by another model."""
