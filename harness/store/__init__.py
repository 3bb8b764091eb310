"""Content-addressed blobs, key entries, journals and heads on one disk."""
