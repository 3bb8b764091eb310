"""Models on this machine: weights loaded, tokens decoded, states and likelihoods taken."""
