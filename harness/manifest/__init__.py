"""Manifests: the YAML schema of what somebody means to run, and its reader; locks and expectations beside them."""
