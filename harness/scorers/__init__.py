"""Pure scoring functions, usable alone."""
