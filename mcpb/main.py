"""Starts the server of agents' tools from a bundle (.mcpb), whose environment uv makes; its arguments are `serve`'s."""

from __future__ import annotations

import sys

from harness.cli.entry import main

if __name__ == "__main__":
    sys.argv[1:1] = ["serve"]
    main()
