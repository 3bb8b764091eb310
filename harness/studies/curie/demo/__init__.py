"""Demo: the makers of the project's own records, whose ground truth is certain."""
