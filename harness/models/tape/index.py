"""The files of a tape: segments, the index of their lines, and the verification of every byte.

Each line of a segment is checked against the hash chain. A partial last line, which a killed process leaves, is
distinguished from damage, and is never read. The index is a memory-mapped file of sorted fixed-size records. It is a
cache that is not trusted: it is used only if it fits the segments (their sizes, and the line at which it ends, whose
`self` commits to every line before it). Exchanges recorded after it are read from the segments. Verification reports up
to 1,000 damaged lines and repairs nothing.
"""

from __future__ import annotations

import mmap
import os
import re
import struct
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from heapq import merge
from pathlib import Path
from typing import NamedTuple

from harness.digest import canonical_json, sha256, sha256_stream
from harness.errors import DamageError, HarnessError, InputError
from harness.files import translating_os_errors, write_atomic
from harness.models.tape.line import (
    LIMIT,
    SERVER,
    START,
    TAIL,
    Taped,
    TapeLine,
    expected_responder,
    parse,
    read_line,
    server_address,
)

SEGMENT = 64 << 20  # size in bytes from which the next line begins a new segment
_NAME = re.compile(r"segment-(\d{5,8})\.jsonl")


class TapePosition(NamedTuple):
    """A position on a tape: a segment, a byte offset, and the digest of the line before."""

    segment: int = 0
    offset: int = 0
    head: str = START


class TapeEntry(NamedTuple):
    """A checked line of a tape, and its location."""

    line: TapeLine
    segment: int
    offset: int
    length: int


class RawLine(NamedTuple):
    """The unchecked bytes of a line; without a newline, the line was cut short."""

    data: bytes
    segment: int
    number: int  # counted from 1 at the start of reading
    offset: int


def segment_path(folder: Path, number: int) -> Path:
    """Return the path of a segment; names sort in tape order."""
    return folder / f"segment-{number:05d}.jsonl"


def line_number(folder: Path, entry: TapeEntry) -> int:
    """Return the number of an entry's line in its segment, counted from 1, as verification names lines."""
    path, count, left = segment_path(folder, entry.segment), 1, entry.offset
    with translating_os_errors(path), open(path, "rb") as file:
        while left and (block := file.read(min(left, 1 << 20))):
            count, left = count + block.count(b"\n"), left - len(block)
    return count


def segment_sizes(folder: Path) -> list[int]:
    """Return the size of every segment in order; a missing folder is an empty tape, a missing segment is damage."""
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
    """Yield the raw lines of segments, from a position to the given sizes, in constant memory."""
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


def is_torn(raw: RawLine, ends: list[int]) -> bool:
    """Whether a line is a partial last line that a killed process left: cut short, not changed."""
    last = raw.segment == len(ends) - 1 and raw.offset + len(raw.data) == ends[-1]
    if not last or raw.data.endswith(b"\n"):
        return False
    try:
        read_line(raw.data[:-1] + b"\n", "")
    except HarnessError:
        return True
    return False  # a whole line whose newline was changed


def scan_lines(folder: Path, begin: TapePosition, ends: list[int]) -> Iterator[TapeEntry]:
    """Yield every whole line from a position on, up to a partial last line that a killed process left.

    Raises DamageError at the first line that is damaged or out of order.
    """
    head = begin.head
    for raw in raw_lines(folder, begin, ends):
        if is_torn(raw, ends):
            return
        where = f"{segment_path(folder, raw.segment)}, byte {raw.offset}"
        line = read_line(raw.data, where)
        if line.prev != head:
            raise DamageError(
                "this line does not follow the one before it", where=where, next="`harness tape verify` says more"
            )
        head = line.own
        yield TapeEntry(line, raw.segment, raw.offset, len(raw.data))


NAME = "index.bin"
RECORD = struct.Struct(">32sI32sIQI")  # request digest, repeat; response digest, segment, offset, length
SIZE, KEY, IDENTITY = RECORD.size, 36, 68  # bytes of a record, of its key, of the part in the tape's digest
_MAGIC = b"harness-tape-index/1\n"
_HEAD = struct.Struct(">IQ32s")  # segments, records, `self` of the last line
_START = len(_MAGIC) + 32
_STEP = struct.Struct(">Q")


@dataclass(frozen=True)
class IndexLayer:
    """A sorted block of index records, on disk or in memory."""

    data: bytes | mmap.mmap
    start: int
    count: int

    def __getitem__(self, number: int) -> bytes:
        """Return the n-th record in the order of keys."""
        at = self.start + number * SIZE
        return self.data[at : at + SIZE]

    def get(self, key: bytes) -> bytes | None:
        """Return the record of a key, found by binary search; None if there is none."""
        data, start, low, high = self.data, self.start, 0, self.count
        while low < high:
            middle = (low + high) // 2
            at = start + middle * SIZE
            if data[at : at + KEY] < key:
                low = middle + 1
            else:
                high = middle
        record = self[low] if low < self.count else b""
        return record if record[:KEY] == key else None


class SavedIndex(NamedTuple):
    """An index loaded from disk that fits its segments, and the position up to which it covers them."""

    layer: IndexLayer
    end: TapePosition


@dataclass
class Index:
    """The index of all exchanges of a tape by key, from disk and added since; its records are always checked."""

    folder: Path
    layers: list[IndexLayer]
    end: TapePosition
    ends: list[int]  # the sizes the segments had
    kept: bool = False  # whether the index on disk covers everything
    fresh: dict[bytes, bytes] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: Path, *, trusting: bool = True) -> Index:
        """Load the index on disk and scan the lines after it; with `trusting=False`, scan every line.

        Raises DamageError for a damaged line, and for one request and repeat with two answers.
        """
        kept = load_index(folder) if trusting else None
        layers, end = ([kept.layer], kept.end) if kept else ([], TapePosition())
        ends = segment_sizes(folder)
        records = IndexRecords()
        for entry in scan_lines(folder, end, ends):
            end = TapePosition(entry.segment, entry.offset + entry.length, entry.line.own)
            record = pack_record(entry.line.digest, entry.line.taped.repeat, entry.line.answer, *entry[1:])
            known = kept.layer.get(record[:KEY]) if kept else None
            if known is None:
                records.add(record)
            else:
                list(_once([known, record], folder))
        if records.count:
            data = records.sorted(folder)
            layers.append(IndexLayer(data, 0, len(data) // SIZE))
        return cls(folder, layers, end, ends, kept=kept is not None and kept.end == end)

    def get(self, key: bytes) -> bytes | None:
        """Return the record of an exchange; None if there is none."""
        for layer in self.layers:
            if record := layer.get(key):
                return record
        return self.fresh.get(key)

    def __len__(self) -> int:
        """Return the number of exchanges."""
        return sum(layer.count for layer in self.layers) + len(self.fresh)

    def __iter__(self) -> Iterator[bytes]:
        """Iterate over every record in the order of keys."""
        layers = [map(layer.__getitem__, range(layer.count)) for layer in self.layers]
        return merge(*layers, sorted(self.fresh.values()))

    def save(self, ends: list[int], head: str) -> None:
        """Write the index to disk, and use it from there.

        `ends` are the sizes of the segments that it covers, `head` is the digest of their last line.
        """
        records = IndexRecords()
        for layer in self.layers:
            for number in range(layer.count):
                records.add(layer[number])
        for record in self.fresh.values():
            records.add(record)
        body = records.sorted(self.folder)
        header = _HEAD.pack(len(ends), len(body) // SIZE, bytes.fromhex(head)) + b"".join(map(_STEP.pack, ends))
        digest = bytes.fromhex(sha256(header + body))
        write_atomic(self.folder / NAME, b"".join((_MAGIC, digest, header, body)))
        del body
        if kept := load_index(self.folder):
            self.layers, self.end, self.fresh = [kept.layer], kept.end, {}


class IndexRecords:
    """A bucket sort for index records, which needs little more memory than the records."""

    def __init__(self) -> None:
        self.count = 0
        self._buckets = [bytearray() for _ in range(256)]

    def add(self, record: bytes) -> None:
        """Add a record to the bucket of its first byte."""
        self._buckets[record[0]] += record
        self.count += 1

    def sorted(self, folder: Path) -> bytes:
        """Return the sorted records, each key once, and empty the buckets.

        Raises DamageError if a request and repeat has two answers.
        """
        parts = []
        while self._buckets:
            bucket = self._buckets.pop(0)
            found = sorted(bytes(bucket[at : at + SIZE]) for at in range(0, len(bucket), SIZE))
            parts.append(b"".join(_once(found, folder)))
        return b"".join(parts)


def _once(records: Iterable[bytes], folder: Path) -> Iterator[bytes]:
    last = b""
    for record in records:
        if record[:KEY] != last[:KEY]:
            yield record
        elif record[:IDENTITY] != last[:IDENTITY]:
            raise DamageError(
                f"request {record[:32].hex()[:12]}, repeat {RECORD.unpack(record)[1]}, has two different answers",
                where=str(folder),
                next="restore this tape from its source; a recording writes one answer",
            )
        last = record


def pack_record(digest: str, repeat: int, answer: str, segment: int, offset: int, length: int) -> bytes:
    """Encode the record of an exchange: its digests, repeat and location."""
    return RECORD.pack(bytes.fromhex(digest), repeat, bytes.fromhex(answer), segment, offset, length)


def load_index(folder: Path) -> SavedIndex | None:
    """Load the index on disk; None if it is missing, damaged or does not fit the segments."""
    path = folder / NAME
    if not path.is_file():
        return None
    with translating_os_errors(path):
        with open(path, "rb", buffering=0) as file:
            begin = file.read(_START + _HEAD.size)
            if len(begin) < _START + _HEAD.size or not begin.startswith(_MAGIC):
                return None
            segments, count, head = _HEAD.unpack_from(begin, _START)
            start = _START + _HEAD.size + segments * _STEP.size
            if path.stat().st_size != start + count * SIZE:
                return None
            file.seek(_START)
            if bytes.fromhex(sha256_stream(file)[0]) != begin[len(_MAGIC) : _START]:
                return None
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        ends = [_STEP.unpack_from(data, _START + _HEAD.size + number * _STEP.size)[0] for number in range(segments)]
        if _fits(folder, ends, head.hex()):
            return SavedIndex(IndexLayer(data, start, count), TapePosition(segments - 1, ends[-1], head.hex()))
    return None


def _fits(folder: Path, ends: list[int], head: str) -> bool:
    """Whether the segments are those indexed: equal sizes, the last perhaps longer, and the same last line."""
    now = segment_sizes(folder)
    if not ends or len(now) < len(ends) or now[: len(ends) - 1] != ends[:-1] or now[len(ends) - 1] < ends[-1]:
        return False
    with open(segment_path(folder, len(ends) - 1), "rb") as file:
        file.seek(max(ends[-1] - TAIL, 0))
        return file.read(TAIL).startswith(f',"self":"{head}"'.encode())


MOST = 1000  # number of defects after which reading stops


@dataclass(frozen=True)
class TapeDefect:
    """A defect of a tape: the file's name, the line in it (0: no single line), and what is wrong."""

    file: str
    line: int
    detail: str


@dataclass
class VerifyReport:
    """The report of a verification: counts of what was read, a partial last line (`torn`), and the defects found."""

    exchanges: int = 0
    segments: int = 0
    bytes: int = 0
    torn: str = ""
    redacted: int = 0  # redacted lines, which answer no request
    servers: Counter[str] = field(default_factory=Counter)  # lines by the server that they name; "": those without
    flaws: list[TapeDefect] = field(default_factory=list)


def check_tape(folder: Path) -> VerifyReport:
    """Verify every line of a tape, their order, and its index, and return a report that lists each defect.

    Reading stops after 1,000 defects.
    """
    found, records, early = VerifyReport(), IndexRecords(), IndexRecords()
    try:
        kept, ends = load_index(folder), segment_sizes(folder)
    except DamageError as bad:
        found.flaws.append(TapeDefect(Path(bad.where).name, 0, bad.what))
        return found
    found.segments, found.bytes = len(ends), sum(ends)
    for raw, line in _lines(folder, ends, found):
        if len(found.flaws) >= MOST:
            found.flaws.append(TapeDefect(_file(raw), raw.number, f"reading stopped after {MOST} flaws"))
            return found
        if line:
            found.exchanges += 1
            found.redacted += bool(line.taped.redacted)
            found.servers[line.taped.server] += 1
            record = pack_record(line.digest, line.taped.repeat, line.answer, raw.segment, raw.offset, len(raw.data))
            records.add(record)
            if kept and (raw.segment, raw.offset) < kept.end[:2]:
                early.add(record)
    try:
        records.sorted(folder)
        if kept and not found.flaws and early.sorted(folder) != kept.layer.data[kept.layer.start :]:
            raise DamageError("it says something else than the segments")
    except DamageError as bad:
        found.flaws.append(TapeDefect(NAME if not bad.where else "", 0, bad.what))
    if not kept and (folder / NAME).exists():
        detail = "it is damaged or belongs to other segments; if they are sound, remove it: it is made again"
        found.flaws.append(TapeDefect(NAME, 0, detail))
    return found


def _file(raw: RawLine) -> str:
    return segment_path(Path(), raw.segment).name


def _lines(folder: Path, ends: list[int], found: VerifyReport) -> Iterator[tuple[RawLine, TapeLine | None]]:
    """Yield every line, and report its defects."""
    head: str | None = START
    for raw in raw_lines(folder, TapePosition(), ends):
        if is_torn(raw, ends):
            found.torn = f"{_file(raw)} line {raw.number} was cut short by a kill; the next recording cuts it off"
            return
        line, flaw = None, ""
        try:
            line = read_line(raw.data, "")
            if canonical_json(parse(raw.data.decode())) + b"\n" != raw.data:
                flaw = "this line is not in canonical form"
            elif head not in (None, line.prev):
                flaw = "this line does not follow the one before it: lines are missing, moved or from another tape"
            else:
                flaw = _wrong_responder(line.taped)
        except HarnessError as bad:
            flaw = bad.what
        head = line.own if line else None  # the line after a damaged one is not compared with it
        if flaw:
            found.flaws.append(TapeDefect(_file(raw), raw.number, flaw))
        yield raw, line


def _wrong_responder(taped: Taped) -> str:
    """Return what is wrong with what a line says of who answered; empty if it fits its answer."""
    if taped.responder != expected_responder(taped.responder.get(SERVER, ""), taped.more, taped.response):
        return "this line names another model than the one in its answer"
    try:
        plain = taped.redacted or not taped.server or server_address(taped.server) == taped.server
    except ValueError:
        plain = False
    return "" if plain else "this line names a server by an address that no recording writes"
