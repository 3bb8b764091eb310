"""Scorers of answers by name: rules that compare an answer with its target, and the steps that apply the rules."""
