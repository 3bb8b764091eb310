"""The study `tiny`: trains the two small models in assets/ from seeds, so that anyone can reproduce them."""
