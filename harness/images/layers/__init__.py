"""Image layers: Debian packages and wheels from the store, written as reproducible tars."""
