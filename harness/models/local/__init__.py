"""Local models: weights loaded with transformers, decoding, hidden states and log-likelihoods; no network."""
