"""Data: records of the published archive and its public copies, prompts, and the rows made from them."""
