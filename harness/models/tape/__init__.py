"""The tape: recorded requests and answers of models, for replay, in a folder of hash-chained lines with an index.

A recorded answer is never replaced, and a tape contains no API key.
"""
