"""Reading and writing of JSON Lines for all steps: canonical rows, one per line, in constant memory.

The module also has the steps that only move rows: `cut` makes the shards, `gather` joins them again, `merge` joins
summaries.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, overload

from harness.digest import CHUNK, canonical_json
from harness.errors import InputError

_decode = json.JSONDecoder().raw_decode
Row = dict[str, Any]  # a row without a type in `rowtypes`: of a study's own table, or a document of one row
Kind = TypeVar("Kind")


@overload
def read(path: Path) -> Iterator[Row]: ...
@overload
def read(path: Path, kind: type[Kind]) -> Iterator[Kind]: ...
def read(path: Path, kind: object = Row) -> Iterator[Any]:
    """Yield the rows of a file, or of the parts of a fan-in folder in their order.

    `kind` is a type of `rowtypes`, which serves the type checker alone. No row is checked or changed.
    """
    for part in parts(path):
        with open(part, "rb") as lines:
            yield from map(_parse, lines)


def _parse(line: bytes) -> Any:
    """Parse one line as `json.loads` does, but faster if the line is as `write` leaves it."""
    try:
        text = line.decode()
        value, end = _decode(text)
    except ValueError:
        return json.loads(line)  # other white space, another encoding, or invalid JSON: json.loads parses it or raises
    return value if text[end:] == "\n" else json.loads(line)


def parts(path: Path) -> list[Path]:
    """List the files of an input, so that a fan-in folder and a single file are read alike."""
    return sorted(path.iterdir()) if path.is_dir() else [path]


def count(path: Path) -> int:
    """Count the rows of one file, as a lock pins it; does not read fan-in folders."""
    with open(path, "rb") as lines:
        return sum(1 for _ in lines)


def write(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write rows as canonical JSON Lines in the order given, never sorted; return their number."""
    count = 0
    with open(path, "wb", buffering=CHUNK) as out:
        for row in rows:
            out.write(canonical_json(row))
            out.write(b"\n")
            count += 1
    return count


def write_one(path: Path, value: Any) -> None:
    """Write a summary: one canonical JSON value and a newline."""
    path.write_bytes(canonical_json(value) + b"\n")


def cut(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Step that cuts the first `rows` rows into shards of `size` contiguous rows; a shard is the unit of progress."""
    size, index, room = params["size"], -1, 0
    target: BinaryIO | None = None
    with open(inputs["rows"], "rb") as lines:
        for line in islice(lines, params["rows"]):
            if room == 0:
                if target:
                    target.close()
                index, room = index + 1, size
                target = open(out / part_name(index), "wb")  # noqa: SIM115 - closed when the next slice begins
            assert target
            target.write(line)
            room -= 1
    if target:
        target.close()


def merge(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Step that merges JSON summaries into one; raises InputError if two of them have the same field."""
    whole: Row = {}
    for part in parts(inputs["parts"]):
        [summary] = read(part)
        twice = sorted(whole.keys() & summary.keys())
        if twice:
            raise InputError(
                f"two summaries have the field `{twice[0]}`", where=params["name"], next="rename one of them"
            )
        whole |= summary
    write_one(out / params["name"], whole)


def part_name(index: int) -> str:
    """Return the file name of a shard; sorted as texts, the names are in row order."""
    return f"part-{index:05d}"


def gather(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Step that concatenates shards in their order, byte for byte, into one output."""
    with open(out / params["name"], "wb", buffering=CHUNK) as target:
        for part in parts(inputs["parts"]):
            with open(part, "rb") as source:
                while block := source.read(CHUNK):
                    target.write(block)
