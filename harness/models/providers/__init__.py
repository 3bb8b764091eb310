"""Model providers: one module per provider, found by its name, and what several of them share.

A provider never knows a benchmark or another provider.
"""
