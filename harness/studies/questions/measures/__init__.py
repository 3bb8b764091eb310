"""Measures: what the scores of a run amount to, by model, dataset, scorer, group, wording and sample."""
