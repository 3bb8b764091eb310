"""Writes docs/curie-near-misses.md: what a scientist, strict mode and paper mode give for almost right answers.

`python tests/near_misses.py [PATH]`, in a checkout: the tables are those of the tests. It must never know a rule.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "curie-near-misses.md"


def main() -> None:
    """Write the page, to its place or to a path that is given."""
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    from studies.curie.scoring.near_misses.page import page

    path = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    path.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
