"""Attempts: runs answered by an agent. The transcript, what it folds to, and the desk that answers the calls."""
