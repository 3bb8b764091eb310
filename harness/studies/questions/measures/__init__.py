"""Aggregation of the scores of a run by model, dataset, scorer, group, wording and sample."""
