"""Where the steps of a run are executed: in this process's own pool, or by workers of a cluster."""
