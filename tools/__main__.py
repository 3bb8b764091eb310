"""Entry point of `python -m harness_tools`: the server of agents' tools, as `harness serve` starts it."""

from __future__ import annotations

import sys

from harness_tools.supervisor import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
