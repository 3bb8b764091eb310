"""JSON Lines as every step reads and writes them: canonical rows, one a line, in constant memory.

Also the steps that only move rows: `cut` makes the shards, `gather` puts them together again, `merge` joins summaries.
It must never know what a row means.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, overload

from harness.digest import CHUNK, canonical
from harness.errors import InputError

_decode = json.JSONDecoder().raw_decode
Row = dict[str, Any]  # one of which `rowtypes` says nothing: a study's own table, or a document of one row
Kind = TypeVar("Kind")


@overload
def read(path: Path) -> Iterator[Row]: ...
@overload
def read(path: Path, kind: type[Kind]) -> Iterator[Kind]: ...
def read(path: Path, kind: object = Row) -> Iterator[Any]:
    """Give the rows of a file, or of the parts of a fan-in folder in their order.

    `kind` is one of `rowtypes`, for the type checker alone: what it takes a row for. No row is checked or changed.
    """
    for part in parts(path):
        with open(part, "rb") as lines:
            yield from map(_parse, lines)


def _parse(line: bytes) -> Any:
    """Read one line as `json.loads` does, but sooner where the line is as `write` leaves it."""
    try:
        text = line.decode()
        value, end = _decode(text)
    except ValueError:
        return json.loads(line)  # other white space, another encoding, or no JSON: it knows, or says what is wrong
    return value if text[end:] == "\n" else json.loads(line)


def parts(path: Path) -> list[Path]:
    """List the files behind an input, so that a fan-in and a single file read alike."""
    return sorted(path.iterdir()) if path.is_dir() else [path]


def count(path: Path) -> int:
    """Count the rows of one file, as a lock pins it; a fan-in folder is not read."""
    with open(path, "rb") as lines:
        return sum(1 for _ in lines)


def write(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write rows as canonical JSON Lines in the order given, never sorted; returns how many they are."""
    count = 0
    with open(path, "wb", buffering=CHUNK) as out:
        for row in rows:
            out.write(canonical(row))
            out.write(b"\n")
            count += 1
    return count


def write_one(path: Path, value: Any) -> None:
    """Write a summary: one canonical JSON value and a newline."""
    path.write_bytes(canonical(value) + b"\n")


def cut(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Step that slices the first `rows` rows into shards of `size`: contiguous slices, the unit of progress."""
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
    """Step that merges JSON summaries into one; a field that two of them have is refused."""
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
    """File name of a shard; text order is row order."""
    return f"part-{index:05d}"


def gather(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Step that concatenates shards in their order, byte for byte, into one output."""
    with open(out / params["name"], "wb", buffering=CHUNK) as target:
        for part in parts(inputs["parts"]):
            with open(part, "rb") as source:
                while block := source.read(CHUNK):
                    target.write(block)
