"""The toy study `layers`: hidden states that models compute for sentences."""
