"""The layers of an image: locked packages kept in the store, and tars written from them, the same bytes every time."""
