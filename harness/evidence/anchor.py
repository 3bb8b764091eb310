"""Anchors: one line that says how far a store's list of runs had come, to be published where others keep it.

The list is a chain, so the digest of one line stands for all lines before it. A store, or a bundle, that no longer has
that line at that place has another history than the one that was published.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from harness.errors import InputError
from harness.evidence.audit.checks import Report
from harness.files import read_plain, translating_os_errors
from harness.store.journal import START
from harness.store.store import Store

LINE = re.compile(r"harness-anchor/1 (0|[1-9][0-9]{0,8}) ([0-9a-f]{64})")
MOST_ANCHORS = 1 << 20  # bytes
MOVED = "anchor.differs"  # check id


def anchor_line(store: Store) -> str:
    """Return the anchor of a store: the number of lines in its list of runs, and the digest of the last one."""
    heads = store.heads.read()
    if heads.broken:
        raise InputError(
            f"the list of runs is broken at {heads.broken}",
            where=str(store.heads.path),
            next="restore heads.jsonl from a copy; `harness fsck` says what else is wrong",
        )
    return f"harness-anchor/1 {len(heads.lines)} {heads.head}"


def read_anchors(path: Path) -> tuple[tuple[int, str], ...]:
    """Read the anchors in a file, among other lines of any kind; raises InputError if there is none."""
    with translating_os_errors(path):
        data = read_plain(path) if path.stat().st_size <= MOST_ANCHORS else b""
    found = tuple(_anchors(data.decode("utf-8", "replace")))
    if not found:
        raise InputError(
            "this file holds no anchor", where=str(path), next="keep the line that `harness anchor` prints in it"
        )
    return found


def _anchors(text: str) -> Iterator[tuple[int, str]]:
    for line in text.splitlines():
        if found := LINE.search(line):
            yield int(found[1]), found[2]


def audit_anchors(store: Store, anchors: tuple[tuple[int, str], ...], report: Report) -> None:
    """Report each anchor that the list of runs does not hold."""
    lines = (START, *store.heads.read().lines)
    flaws = [
        f"line {count} of the list of runs is not the one that was anchored ({digest[:12]})"
        if count < len(lines)
        else f"the list of runs has {len(lines) - 1} lines, and {count} were anchored"
        for count, digest in anchors
        if count >= len(lines) or lines[count] != digest
    ]
    report.settle(MOVED, "heads.jsonl", flaws, f"{len(anchors)} anchors")
