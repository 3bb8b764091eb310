"""The study's scorers and analyses as they work alone, with the fields a caller uses."""
