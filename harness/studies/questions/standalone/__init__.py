"""The study's scorers and analyses for `harness score` and `harness analyse`."""
