"""Judging: a judge model or a rule decides which predicted items match which gold items."""
