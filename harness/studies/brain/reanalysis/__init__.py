"""The reanalysis of what the authors published with their repository: scores, curves, omegas, p-values, choices."""
