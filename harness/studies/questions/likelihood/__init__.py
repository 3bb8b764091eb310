"""Questions answered by log-likelihood: the most likely of the given options, and the perplexity of a text."""
