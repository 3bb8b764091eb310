"""Claims: published numbers held against runs, with the history of every variant that was tried."""
