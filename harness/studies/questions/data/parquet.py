"""Columns and rows of a Parquet file: texts, numbers, truths, and lists of these; what else it holds is refused.

A file is a stranger's, and is read by a process of its own (`parquet_entry`), whatever that comes to: what it writes
is bounded and checked here. It does not depend on what a column means.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.errors import MissingError
from harness.studies.questions.data import parquet_entry
from harness.studies.questions.data.parquet_entry import (
    BROKEN,
    LONG,
    LONGEST,
    MANY,
    MOST_ROWS,
    NO_TEXT,
    OTHER,
    RECORDS,
    REFUSED,
    ROWS,
)

_MOST_BYTES = 4 * LONGEST + 2  # of a line
_ENDED = "ended"  # how a process ends that reads a file made to end it
_REFUSALS = {  # what, and what to do next
    BROKEN: ("this is no well-formed Parquet file", "write it again, or as JSON Lines"),
    MANY: (f"the file has more than {MOST_ROWS:,} rows", "write those that are asked to a file of their own"),
    LONG: (f"the row has more than {LONGEST:,} characters", "shorten it"),
    NO_TEXT: ("a text is not UTF-8", "write texts as UTF-8, and bytes as text"),
    _ENDED: (
        "the file is damaged, or takes too much memory to be read",
        "write it again in smaller groups of rows, or as JSON Lines",
    ),
}
_UNREAD = {
    RECORDS: "it holds records, or lists of lists: write what is needed of them as columns of their own",
    OTHER: "it holds dates, times, decimals or bytes: write it as text",
}
_SETTINGS = {"POLARS_MAX_THREADS": "1", "POLARS_IMPORT_INTERVAL_AS_STRUCT": "1", "RUST_BACKTRACE": "0"}


class UnreadableError(ValueError):
    """A Parquet file, or a part of it, that cannot be read: what is wrong, and what to do next."""

    def __init__(self, what: str, next: str, *, in_row: bool = False) -> None:
        super().__init__(f"{what}: {next}")
        self.what, self.next, self.in_row = what, next, in_row  # whether it is the row after those that were given


class ParquetFile:
    """An open Parquet file: its columns by name, each with its type, and its rows.

    UnreadableError for a file that is damaged; MissingError where polars, which reads it, is not installed.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.columns: Mapping[str, str] = dict(_checked(path, None))
        self.names = [name for name, kind in self.columns.items() if kind != RECORDS]

    def rows(self, wanted: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Yield all rows with the columns that are wanted; UnreadableError for one that is not read here."""
        for name in wanted:
            if why := _UNREAD.get(self.columns[name]):
                raise UnreadableError("a column is written in a way that is not read here", f"{why}, or as JSON Lines")
        places = {name: place for place, name in enumerate(self.columns)}
        for cells in _checked(self._path, [places[name] for name in wanted]):
            yield dict(zip(wanted, cells, strict=True))


def _checked(path: Path, places: Sequence[int] | None) -> Iterator[list[Any]]:
    """Iterate over what is read of a file, line by line; UnreadableError where it is refused, or the reader ended."""
    count, width = 0, 2 if places is None else len(places)
    for line in _lines(path, places):
        if isinstance(line, list) and len(line) == width:
            count += 1
            yield line
        elif line == {ROWS: count}:
            return
        else:
            why = str(line.get(REFUSED)) if isinstance(line, dict) else BROKEN
            raise UnreadableError(*_REFUSALS.get(why, _REFUSALS[BROKEN]), in_row=why == LONG)
    raise UnreadableError(*_REFUSALS[_ENDED])


def _lines(path: Path, places: Sequence[int] | None) -> Iterator[Any]:
    """Iterate over what the process says that reads a file, until it ends; it is ended where nobody reads on."""
    command = _command(places)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("POLARS_", "PYTHON"))}
    with (
        open(path, "rb") as file,
        subprocess.Popen(
            command, env=environment | _SETTINGS, stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process,
    ):
        assert process.stdout
        try:
            while (line := process.stdout.readline(_MOST_BYTES)).endswith(b"\n"):
                try:
                    yield json.loads(line)
                except (ValueError, RecursionError):
                    yield None
        finally:
            process.kill()


def _command(places: Sequence[int] | None) -> list[str]:
    """Spell the command that reads a file: bytecode is found where this process finds it, and of packages polars."""
    found = importlib.util.find_spec("polars")
    if found is None or not found.origin:
        raise MissingError(
            "the package polars is not installed, which reads Parquet",
            next="pip install 'repro-harness[tables]', or write the file as JSON Lines",
        )
    options = ["-I", "-S", "-B", "--check-hash-based-pycs", "always"]
    if sys.pycache_prefix:
        options += ["-X", f"pycache_prefix={sys.pycache_prefix}"]
    site = str(Path(found.origin).parents[1])
    return [sys.executable, *options, parquet_entry.__file__, site, json.dumps(places)]
