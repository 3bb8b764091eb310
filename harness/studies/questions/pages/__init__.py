"""The report page of a run and its figure."""
