"""What answers a prompt: one file a provider, behind one protocol."""
