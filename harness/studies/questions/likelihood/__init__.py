"""Questions answered by log-likelihood: the likeliest of given options, and how well a model foretells a text."""
