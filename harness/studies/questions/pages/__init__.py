"""Pages: the report of a run and its figure."""
