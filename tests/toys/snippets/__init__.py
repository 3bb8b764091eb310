"""The toy study `snippets`: small programs that a model writes, executed in a sandbox."""
