"""The step that fits models to recordings, fold by fold."""
