"""Executing: the steps of a plan, each in a private folder behind an isolation, and what asking will cost."""
