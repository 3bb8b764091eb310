"""Writes the table of docs/agents-clients.md: whole attempts by other people's clients, each held against Python's.

    python tests/clients_page.py --write [STUDY …] [CLIENT …] [stdio | http]

Takes an attempt on three studies with each client over stdio and HTTP (with names: on those studies, with those
clients, over that transport; these rows are written anew). A row is written only for a client that took all of them
with the scores and the normal form of Python.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent
PAGE = TESTS.parent / "docs" / "agents-clients.md"
HEAD = "| client | version | protocol | transport | studies | items | scores and normal form | seconds |"
BLOCK = re.compile(r"(<!-- written by tests/clients_page.py -->\n)(.*?)(\n<!-- end of what it wrote -->)", re.DOTALL)


def row(name: str, transport: str, folder: Path, expected: dict[str, object]) -> str:
    """Take the attempts of one client over one transport, and give its line of the table."""
    from support_clients import Sitting, carried, sit

    found: dict[str, Sitting] = {}
    with tempfile.TemporaryDirectory() as home, carried(name, transport, folder, Path(home)) as carrier:
        about = carrier.about
        for study in expected:
            found[study] = sit(carrier, folder, study, f"page {name} {transport} {study} {os.getpid()}")
    for study, one in found.items():
        ours = expected[study]
        assert isinstance(ours, Sitting)
        if (one.ended, one.form) != (ours.ended, ours.form):
            parted = {"ended": one.ended, "expected": ours.ended} if one.ended != ours.ended else _parted(one, ours)
            raise SystemExit(f"{name} over {transport} took {study} otherwise than Python: {str(parted)[:2000]}")
    asked, seconds = sum(one.asked for one in found.values()), sum(one.seconds for one in found.values())
    version, protocol = about["version"], ", ".join(sorted({one.protocol for one in found.values()}))
    studies = ", ".join(found)
    return f"| {name} | {version} | {protocol} | {transport} | {studies} | {asked} | equal | {seconds:.1f} |"


def _parted(one: Any, ours: Any) -> dict[str, Any]:
    """Give the parts of two normal forms that differ."""
    names = sorted({*one.form, *ours.form})
    pairs = {name: (one.form.get(name), ours.form.get(name)) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def write(line: str) -> None:
    """Put a line into the table, in the place of that of the same client and transport."""
    page = PAGE.read_text(encoding="utf-8")
    block = BLOCK.search(page)
    assert block, "the page has no place for the table"
    rows = {tuple(one.split(" | ")[0:4:3]): one for one in [*block[2].splitlines()[2:], line]}
    table = "\n".join([HEAD, "|---|---|---|---|---|---|---|---|", *(rows[key] for key in sorted(rows))])
    PAGE.write_text(page[: block.start()] + block[1] + table + block[3] + page[block.end() :], encoding="utf-8")


def main(argv: Sequence[str]) -> int:
    """Measure, and write or print the table."""
    sys.path.insert(0, str(TESTS))
    os.environ.setdefault("HARNESS_TESTS_GROUND", tempfile.mkdtemp(prefix="clients-"))
    from support_clients import CLIENTS, OVER, STUDIES, by_verbs, client_project

    names = [one for one in argv if one in CLIENTS] or [*CLIENTS]
    asked = [one for one in argv if one in STUDIES] or list(STUDIES)
    folder = Path(os.environ.get("CLIENTS_PROJECT") or tempfile.mkdtemp(prefix="clients-")) / "project"
    if not folder.exists():
        client_project(folder)
    expected: dict[str, object] = {study: by_verbs(folder, study) for study in asked}
    failed = False
    for name in names:
        for transport in [one for one in OVER[name] if one in argv] or OVER[name]:
            try:
                line = row(name, transport, folder, expected)
            except BaseException:  # the table is of those that ran; what did not is told
                traceback.print_exc()
                failed = True
                continue
            print(line, flush=True)
            if "--write" in argv:
                write(line)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
