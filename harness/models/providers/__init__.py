"""Model providers: one module per provider, found by its name, and code that several of them share.

A provider is independent of benchmarks and of other providers.
"""
