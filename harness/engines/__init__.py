"""Where a step runs: one file an engine, behind one protocol."""
