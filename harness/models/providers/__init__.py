"""Model providers: one module per provider, found by its name, and what several of them share."""
