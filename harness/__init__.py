"""Reproducible, checkable LLM evaluations: manifest, lock, run, record, audit."""
