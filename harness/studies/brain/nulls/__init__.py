"""How often a test calls noise significant, measured by simulation (OURS)."""
