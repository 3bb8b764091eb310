"""Language models: providers, models that run on this machine, recorded answers (tapes), and the API gateway."""
