"""The tape: recorded requests and answers of models, for replay: a folder of hash-chained lines with an index."""
