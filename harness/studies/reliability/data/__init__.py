"""The five benchmarks' items and right answers: drawn, read from published files, graded by difficulty."""
