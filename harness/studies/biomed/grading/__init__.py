"""The score steps: what a grader said, and how words overlap, as scores of answers."""
