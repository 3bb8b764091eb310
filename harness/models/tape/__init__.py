"""The tape: recorded requests and answers of models, for replay: a folder of hash-chained lines with an index.

A recorded answer is never replaced, and a tape never holds an API key.
"""
