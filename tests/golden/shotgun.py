"""Show how far the rules can be gamed by listing: python tests/golden/shotgun.py CHECKS MANIFEST [--write PAGE].

CHECKS is the output `checks` of a run (`harness get RUN checks -o CHECKS`), MANIFEST the manifest that was run. Prints
the rate of the stand-in `shotgun` on each benchmark, or puts it between its markers in a page of the documentation.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from marked import write

from harness import rows


def text(checks: Mapping[str, Any], manifest: str) -> str:
    """Give what the page says: which run, and the rates."""
    lines = ["| benchmark | responses scored | called correct |", "| --- | ---: | ---: |"]
    for name, models in sorted(checks["benchmarks"].items()):
        row = models["shotgun"]
        lines.append(f"| {name} | {row['n']:,} | {100 * row['correct']:.1f} % |")
    return f"\nFrom the output `checks` of a run of `{manifest}`:\n\n" + "\n".join(lines) + "\n\n"


def main(argv: Sequence[str]) -> int:
    """Print or write, and give the exit code."""
    parser = argparse.ArgumentParser(prog="tests/golden/shotgun.py", description=__doc__)
    parser.add_argument("checks", type=Path, metavar="CHECKS")
    parser.add_argument("manifest", metavar="MANIFEST")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into this page")
    args = parser.parse_args(argv)
    [checks] = rows.read(args.checks)
    if not all("shotgun" in models for models in checks["benchmarks"].values()):
        print("this manifest has no stand-in `shotgun`", file=sys.stderr)
        return 2
    shown = text(checks, args.manifest)
    if args.write:
        write(args.write, "shotgun", shown)
    else:
        print(shown.strip())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
