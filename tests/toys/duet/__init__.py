"""The toy study `duet`: sums and differences that a model answers in words, graded three ways."""
