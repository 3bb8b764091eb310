"""Attempts: runs answered by an agent. The transcript, the state computed from it, and the code that answers calls."""
