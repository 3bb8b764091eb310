"""The study `questions`: evaluates models on a user's own file, with the wordings and scorers that a manifest names."""
