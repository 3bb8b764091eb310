"""The toy study `drift`: numbers drawn, scored, counted in threads, and changed by a variable; no model is asked."""
