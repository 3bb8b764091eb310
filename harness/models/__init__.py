"""Language models: providers, models that run on this machine, recorded answers (tapes), and the API gateway.

It never knows a benchmark, a right answer or a run.
"""
