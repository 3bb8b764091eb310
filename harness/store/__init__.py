"""The store: content-addressed blobs, cache entries by key, journals of runs, and the list of runs."""
