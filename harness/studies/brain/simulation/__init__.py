"""Simulated recordings with a known truth (OURS), because no recording of the paper is available here."""
