"""The study `questions`: a benchmark as data, whose questions, wordings and scorers a manifest and a file say."""
