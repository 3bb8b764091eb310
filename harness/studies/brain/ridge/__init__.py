"""Ridge regression with a penalty for each band, searched exactly, and the plain ridge of the repository's head."""
