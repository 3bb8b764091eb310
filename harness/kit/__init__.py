"""What the studies share: questions and their grading, intervals and tests, tables, charts and pages."""
