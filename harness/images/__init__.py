"""Container images: built bit for bit from locked packages, without an image builder or a daemon."""
