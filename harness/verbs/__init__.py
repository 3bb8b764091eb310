"""One function a verb, with a typed request and a typed result: for the command line, Python and agents' tools."""
