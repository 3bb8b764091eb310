"""Manifests: their YAML schema and reader; locks and expectations, which are kept beside them."""
