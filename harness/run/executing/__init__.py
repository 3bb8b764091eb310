"""Executing: runs a plan's steps, each in a private folder behind an isolation, and forecasts the cost of asking."""
