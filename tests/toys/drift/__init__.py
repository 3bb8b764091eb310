"""The toy study `drift`: numbers drawn, scored, counted in threads, and stamped with the time; no model is asked."""
