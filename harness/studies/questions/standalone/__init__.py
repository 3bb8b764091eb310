"""What `harness score` and `harness analyse` call of this study."""
