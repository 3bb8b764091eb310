"""Planning: what a manifest and its lock mean as steps, and what they need before one is made."""
