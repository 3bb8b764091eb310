"""Try the two commands as an ordinary user in other places, and write what came of it: docs/install.md.

`make places` tries every place, which takes hours of two cores; `ONLY="Debian 13"` tries one anew and leaves the
rows of the others. Root makes the places: docs/install.md says which there are. Exit 0 all went well, 1 not all did,
3 a place cannot be had here.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "tests")]

from support_places import EVERY, MissingPlaceError, Place, open_place  # noqa: E402 - after the path

from harness.run.processor import ask_processor  # noqa: E402

PAGE = REPOSITORY / "docs" / "install.md"
BEGIN, END = "<!-- written by `make places` -->", "<!-- end of what it wrote -->"
HEAD = [
    "| place | Python | `make setup` | `make reproduce` | `make test` | tried |",
    "|---|---|---|---|---|---|",
]


def main() -> int:
    """Try the places that are named, one after the other; each row is written as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("places", nargs="*", metavar="PLACE", help=f"of {', '.join(EVERY)}; none: all")
    parser.add_argument("--logs", type=Path, help="a folder that keeps what each command printed")
    asked = parser.parse_args()
    if unknown := sorted({*asked.places} - {*EVERY}):
        parser.error(f"there is no place called {', '.join(unknown)}; there are {', '.join(EVERY)}")
    codes = set[int]()
    for name in asked.places or EVERY:
        with tempfile.TemporaryDirectory(dir="/home", prefix="place-", ignore_cleanup_errors=True) as folder:
            try:
                with open_place(name, Path(folder)) as place:
                    row, fine = try_place(name, place, asked.logs)
            except MissingPlaceError as bad:
                print(f"error: {name}: {bad}", file=sys.stderr)
                codes.add(3)
                continue
        keep_row(name, row)
        codes.add(0 if fine else 1)
    return 1 if 1 in codes else max(codes, default=0)


def try_place(name: str, place: Place, logs: Path | None) -> tuple[str, bool]:
    """Run the two commands there; the first makes the environment, which is timed alone."""
    cells, fine = list[str](), True
    for words in (("make", "setup"), ("make", "reproduce"), ("make", "test")):
        print(f"{name}: {' '.join(words)}", file=sys.stderr)
        started = time.monotonic()
        try:
            done = place.run(*words)
        except subprocess.TimeoutExpired as bad:
            cells, fine = [*cells, f"broken off after {bad.timeout / 60:.0f} min"], False
            continue
        minutes = f"{(time.monotonic() - started) / 60:.1f} min"
        if logs:
            logs.mkdir(parents=True, exist_ok=True)
            (logs / f"{name}-{words[1]}.log").write_text(done.stdout + done.stderr)
        told, well = read_outcome(words[1], done.returncode, done.stdout, done.stderr)
        print(f"{name}: {' '.join(words)}: {told}, {minutes}", file=sys.stderr)
        cells.append(f"{told}, {minutes}" if told else minutes)
        fine = fine and well
    version = place.run(".venv/bin/python", "-V").stdout.split() or ["none"]
    when = f"{datetime.now(UTC):%Y-%m-%d}, {ask_processor().name}"
    return f"| {name} | {version[-1]} | {' | '.join(cells)} | {when} |", fine


def read_outcome(command: str, code: int, stdout: str, stderr: str) -> tuple[str, bool]:
    """Say in a few words what one of the commands came to, and whether that is what it should."""
    if command == "setup":
        return ("", True) if code == 0 else (f"exit {code}", False)
    if command == "reproduce":
        demos = len([*(REPOSITORY / "manifests" / "demo").glob("*.yaml")])
        agreed = len(re.findall(r"^\S+: agreed \(", stdout, re.MULTILINE))
        left = sorted(set(re.findall(r"^(\S+): left out: ", stdout + stderr, re.MULTILINE)))
        out = f"; left out: {', '.join(Path(one).stem for one in left)}" if left else ""
        fine = code == (2 if left else 0) and agreed + len(left) == demos  # make ends with 2 for any other
        return f"{agreed} of {demos} agree{out}", fine
    last = re.findall(r"^=*\s*((?:\d+ \w+, )*\d+ (?:passed|failed|skipped|errors?)[^\n=]*?) in ", stdout, re.MULTILINE)
    return last[-1] if last else f"exit {code}", code == 0 and bool(last)


def keep_row(name: str, row: str) -> None:
    """Write a place's row between the page's markers, in the order of the places; the other rows stay."""
    before, begun, rest = PAGE.read_text().partition(BEGIN)
    inside, ended, after = rest.partition(END)
    if not begun or not ended:
        sys.exit(f"error: {PAGE} has not both markers, {BEGIN} and {END}; put them back, this row between them:\n{row}")
    rows = {line.split("|")[1].strip(): line for line in inside.splitlines() if line.startswith("|")}
    rows[name] = row
    kept = [rows[one] for one in EVERY if one in rows]
    PAGE.write_text(before + "\n".join([BEGIN, "", *HEAD, *kept, "", END]) + after)


if __name__ == "__main__":
    sys.exit(main())
