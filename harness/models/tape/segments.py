"""The segment files of a tape: their names, sizes and lines in order, each checked against the hash chain.

A partial last line is what a kill leaves: it is told apart from damage, and never read. It never knows an index.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from harness.errors import DamageError, HarnessError, InputError
from harness.files import translating_os_errors
from harness.models.tape.line import LIMIT, START, TapeLine, read_line

SEGMENT = 64 << 20  # size in bytes from which the next line begins a new segment
_NAME = re.compile(r"segment-(\d{5,8})\.jsonl")


class TapePosition(NamedTuple):
    """A position on a tape: a segment, a byte offset, and the digest of the line before."""

    segment: int = 0
    offset: int = 0
    head: str = START


class TapeEntry(NamedTuple):
    """A checked line and its location."""

    line: TapeLine
    segment: int
    offset: int
    length: int


class RawLine(NamedTuple):
    """The bytes of a line, unchecked; without a newline it was cut short."""

    data: bytes
    segment: int
    number: int  # counted from 1 where reading began
    offset: int


def segment_path(folder: Path, number: int) -> Path:
    """Make the path of a segment; names sort in tape order."""
    return folder / f"segment-{number:05d}.jsonl"


def sizes(folder: Path) -> list[int]:
    """List the size of every segment in order; a missing folder is an empty tape, a missing segment damage."""
    if folder.exists() and not folder.is_dir():
        raise InputError("a tape is a folder, and this is none", where=str(folder), next="name the tape's folder")
    with translating_os_errors(folder):
        names = os.listdir(folder) if folder.is_dir() else []
        known = {int(found[1]) for name in names if (found := _NAME.fullmatch(name))}
        paths = [segment_path(folder, number) for number in range(len(known))]
        for path in paths:
            if not path.is_file():
                raise DamageError("a segment of this tape is missing", where=str(path), next="restore it")
        return [path.stat().st_size for path in paths]


def raw_lines(folder: Path, begin: TapePosition, ends: list[int]) -> Iterator[RawLine]:
    """Iterate over the raw lines of segments, from a position to the given sizes, in constant memory."""
    for segment in range(begin.segment, len(ends)):
        offset, number = begin.offset if segment == begin.segment else 0, 0
        path = segment_path(folder, segment)
        with translating_os_errors(path), open(path, "rb") as file:
            file.seek(offset)
            while offset < ends[segment]:
                number += 1
                data = file.readline(min(LIMIT, ends[segment] - offset))
                if not data:
                    raise DamageError("a segment shrank while it was read", where=str(path), next="read it again")
                yield RawLine(data, segment, number, offset)
                offset += len(data)


def torn(raw: RawLine, ends: list[int]) -> bool:
    """Whether a line is a partial last line that a kill left: cut short, not changed."""
    last = raw.segment == len(ends) - 1 and raw.offset + len(raw.data) == ends[-1]
    if not last or raw.data.endswith(b"\n"):
        return False
    try:
        read_line(raw.data[:-1] + b"\n", "")
    except HarnessError:
        return True
    return False  # a whole line whose newline became something else


def scan(folder: Path, begin: TapePosition, ends: list[int]) -> Iterator[TapeEntry]:
    """Iterate over every whole line from a position on; a partial last line, as a kill leaves it, ends the iteration.

    The first line that is damaged or out of order raises DamageError.
    """
    head = begin.head
    for raw in raw_lines(folder, begin, ends):
        if torn(raw, ends):
            return
        where = f"{segment_path(folder, raw.segment)}, byte {raw.offset}"
        line = read_line(raw.data, where)
        if line.prev != head:
            raise DamageError(
                "this line does not follow the one before it", where=where, next="`harness tape verify` says more"
            )
        head = line.own
        yield TapeEntry(line, raw.segment, raw.offset, len(raw.data))
