"""Planning: turns a manifest and its lock into steps, and checks what they need before the first one runs."""
