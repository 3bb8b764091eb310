"""Snippets: small programs that a model writes, tried where they can harm nobody."""
