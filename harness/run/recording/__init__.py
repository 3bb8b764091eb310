"""Recorded runs: accepted as expectations, carried to other code, audited and executed again."""
