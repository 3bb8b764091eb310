"""Grading: the score steps, each of which applies one family of rules to the answers of a shard."""
