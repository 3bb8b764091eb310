"""The tape: recorded exchanges with models, as a folder of chained lines with an index."""
