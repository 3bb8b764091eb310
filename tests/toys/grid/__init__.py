"""Grid: points that are drawn as an array, and what becomes of them; nobody is asked anything."""
