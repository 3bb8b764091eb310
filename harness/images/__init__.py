"""Container images: made bit for bit from locked packages, without a builder or a daemon."""
