"""The score steps: turn grades and word overlap into scores of answers."""
