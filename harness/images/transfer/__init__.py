"""Transfer of images between stores, as files or through a registry; what comes in is never trusted."""
