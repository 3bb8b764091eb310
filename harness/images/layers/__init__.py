"""Image layers: locked packages from the store, written as reproducible tars."""
