"""Feature spaces: of position and time, of given arrays, of language models; scaling and bands."""
