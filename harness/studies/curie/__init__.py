"""Curie: ten scientific tasks over long contexts (arXiv 2503.13517), in paper mode and in strict mode."""
