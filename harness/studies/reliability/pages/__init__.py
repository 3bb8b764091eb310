"""Output for readers: figures, tables, model cards and the report."""
