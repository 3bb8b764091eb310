"""Items and right answers of the five benchmarks: drawn or read from published files, with their difficulty."""
