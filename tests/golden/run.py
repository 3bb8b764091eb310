"""Run every golden reader over a folder laid out as <study>/<file>: python tests/golden/run.py DIR.

One line a file, each failing case with what was expected and what was found; one line a study, with the files that have
no reader; and a total. Exit 0 nothing failed, 1 something failed, 2 there is no such folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(print(__doc__, file=sys.stderr) or 2)
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from golden.every import main

    sys.exit(main(Path(sys.argv[1])))
