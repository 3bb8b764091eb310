"""Judging: which predicted items are which gold items, said by a judge model or by a rule."""
