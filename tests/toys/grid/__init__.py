"""The toy study `grid`: points drawn as an array, and scaled; no model is asked."""
