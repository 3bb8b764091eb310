"""The command line (typer): each module parses options, calls a verb of `harness.verbs` and prints its result."""
