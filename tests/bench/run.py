"""Measure the harness beside its peers, in one run: python tests/bench/run.py [--quick] [--only NAME] [--json FILE].

`--take FILE` measures nothing, and takes in what `make gpu-check` wrote on a machine with a GPU.
Exit 0 every mark is met, 1 a mark is missed, 3 this machine lacks something, 4 a measured command failed.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)
    from bench.suite import main

    sys.exit(main())
