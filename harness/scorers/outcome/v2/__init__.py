"""Labelling rules OURS-v2 (correct, avoidant or incorrect), one module a benchmark; OURS-v1 stands unchanged."""
