"""The viewer: pages over the runs and answers of a store, served on this machine alone."""
