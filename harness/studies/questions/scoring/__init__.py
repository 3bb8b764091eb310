"""Scorers of answers by name: rules that read an answer beside its target, and the steps that apply them."""
