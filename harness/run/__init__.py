"""The bridge: lock, plan, runner, and the entry point inside the isolation."""
