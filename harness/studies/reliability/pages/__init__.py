"""What a reader sees: figures, tables, model cards and the page."""
