"""Runs: locking, planning and executing a manifest, and the entry point of a step inside the isolation."""
