"""Attempts of agents beside a store: what they see, and how they are opened and scored."""
