"""Run every golden reader over a folder laid out as <study>/<file>: python tests/golden/run.py DIR.

One line a file, each failing case with what was expected and what was found, and a total.
Exit 0 nothing failed, 1 something failed, 2 there is no such folder.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from readers import reliability
from readers.case import Tally

READERS = {"reliability": reliability.reader}
DATA = (".json", ".npz", ".csv")


def read(path: Path, study: str, name: str) -> Tally:
    """Count one file; one without a finished reader waits, one that a finished reader cannot read has failed."""
    tally = Tally()
    finished = READERS[study](name) if study in READERS else None
    if finished is None:
        tally.waiting = waiting(path)
        return tally
    try:
        finished(path, tally)
        if not tally.passed + tally.failed + tally.waiting:
            tally.fail("the file", "holds no cases")
    except (ValueError, OSError, RecursionError) as bad:
        tally.fail("the file", f"unreadable: {bad}")
    return tally


def waiting(path: Path) -> int:
    """Count the cases that wait in a file nobody reads yet: those it lists, and at least one."""
    try:
        cases = json.loads(path.read_text(encoding="utf-8"))["cases"] if path.suffix == ".json" else []
    except (ValueError, KeyError, TypeError, OSError, RecursionError):
        return 1
    return max(1, len(cases)) if isinstance(cases, list) else 1


def main(folder: Path) -> int:
    """Print the lines and give the exit code."""
    if not folder.is_dir():
        print(f"there is no folder {folder}", file=sys.stderr)
        print("  next: make golden FIXTURES=DIR, where DIR/<study>/ holds the golden values", file=sys.stderr)
        return 2
    total = Tally()
    for path in sorted(path for path in folder.rglob("*") if path.suffix in DATA and path.is_file()):
        study, *rest = path.relative_to(folder).parts
        if not rest:
            continue  # beside the studies, not under one
        tally = read(path, study, "/".join(rest))
        counts = f"{tally.passed} passed, {tally.failed} failed, {tally.waiting} waiting"
        print(f"{path.relative_to(folder).as_posix()}: {counts}")
        for failure in tally.failures:
            print(f"  FAILED {failure}")
        total.passed += tally.passed
        total.failed += tally.failed
        total.waiting += tally.waiting
    print(f"total: {total.passed} passed, {total.failed} failed, {total.waiting} waiting")
    return 1 if total.failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(print(__doc__, file=sys.stderr) or 2)
    sys.exit(main(Path(sys.argv[1])))
