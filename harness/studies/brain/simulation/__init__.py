"""Simulated recordings with a known truth (OURS): no recording of the paper can be had here."""
