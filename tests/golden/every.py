"""Every golden file of a folder, through the readers that its study has."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from golden.case import Tally
from golden.files import DATA, count
from golden.readers import STUDIES, Reader, is_input, reader_of, readers


def read(path: Path, name: str, found: list[Reader]) -> tuple[Tally, str]:
    """Count one file and say what it is besides; what its reader cannot read has failed, and never waits."""
    tally = Tally()
    try:
        reader = reader_of(name, found)
        if reader is None and is_input(name, found):
            return tally, "input"
        if reader is None:
            tally.waiting = count(path)
            return tally, "no reader"
        reader.read(path, tally)
        if not tally.passed + tally.failed + tally.waiting:
            tally.fail("the file", "holds no cases")
    except (ValueError, OSError, RecursionError) as bad:
        tally.fail("the file", f"unreadable: {bad}")
    return tally, ""


def files(folder: Path) -> Iterator[tuple[str, str, Path]]:
    """Give study, name and path of each golden file; what lies beside the studies is none."""
    for path in sorted(path for path in folder.rglob("*") if path.suffix in DATA and path.is_file()):
        study, *rest = path.relative_to(folder).parts
        if rest:
            yield study, "/".join(rest), path


def counts(tally: Tally) -> str:
    """Write three counts."""
    return f"{tally.passed} passed, {tally.failed} failed, {tally.waiting} waiting"


def main(folder: Path, studies: Path = STUDIES) -> int:
    """Print a line a file, a line a study, the total, and give the exit code."""
    if not folder.is_dir():
        print(f"there is no folder {folder}", file=sys.stderr)
        print("  next: make golden FIXTURES=DIR, where DIR/<study>/ holds the golden values", file=sys.stderr)
        return 2
    sums: dict[str, Tally] = {}
    without: dict[str, list[str]] = {}
    found: dict[str, list[Reader]] = {}
    for study, name, path in files(folder):
        if study not in found:
            found[study] = _loaded(study, studies, sums.setdefault(study, Tally()))
        tally, remark = read(path, name, found[study])
        print(f"{study}/{name}: {counts(tally)}{' (an input)' if remark == 'input' else ''}")
        for failure in tally.failures:
            print(f"  FAILED {failure}")
        sums[study].add(tally)
        if remark == "no reader":
            without.setdefault(study, []).append(name)
    return _summary(sums, without, studies)


def _loaded(study: str, studies: Path, tally: Tally) -> list[Reader]:
    flaws: list[str] = []
    found = readers(study, studies, flaws)
    for flaw in flaws:
        tally.fail("a reader", flaw)
        print(f"  FAILED the reader {flaw}")
    return found


def _summary(sums: dict[str, Tally], without: dict[str, list[str]], studies: Path) -> int:
    total = Tally()
    for study, tally in sums.items():
        print(f"study {study}: {counts(tally)}")
        if study in without:
            print(f"  without a reader in {studies.name}/{study}/golden: {', '.join(without[study])}")
        total.add(tally)
    print(f"total: {counts(total)}")
    return 1 if total.failed else 0
