"""The parts of the gateway: each knows one thing, and none of them a benchmark, a store or an engine."""
