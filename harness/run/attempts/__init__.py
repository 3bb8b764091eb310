"""Attempts of agents with a store: what agents see, and how attempts are opened and scored."""
