"""Transfer of images between stores, as files or through a registry; incoming data is never trusted."""
