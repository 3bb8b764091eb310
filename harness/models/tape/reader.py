"""Tape reader: lookup of recorded answers, the nearest request to a missing one, and the tape's digest.

It never writes, and never returns anything unchecked.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterator, Mapping
from io import RawIOBase
from pathlib import Path
from typing import Any

from harness.digest import sha256_stream
from harness.errors import DamageError
from harness.files import translating_os_errors
from harness.models.tape.index import IDENTITY, RECORD, Index
from harness.models.tape.line import LIMIT, REPEATS, RESTORE, Taped, TapeLine, read_line
from harness.models.tape.nearest import SAMPLE, Nearest, longest_texts, requests_containing
from harness.models.tape.segments import TapePosition, scan, segment_path


class Tape:
    """A tape opened for reading: recorded answers by request digest and repeat; thread-safe. It never writes."""

    def __init__(self, folder: Path, index: Index) -> None:
        self.folder = folder
        self._index = index
        self._doubting, self._doubted = threading.Lock(), False
        self._handles: dict[int, int] = {}
        self._finalizer = weakref.finalize(self, _close, self._handles)

    @classmethod
    def open(cls, folder: Path) -> Tape:
        """Open a tape for reading; a missing folder is an empty tape."""
        return cls(folder, Index.open(folder))

    def close(self) -> None:
        """Close the files."""
        self._finalizer()

    def __enter__(self) -> Tape:
        """Enter a `with` block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the files."""
        self.close()

    def __len__(self) -> int:
        """Count the exchanges."""
        return len(self._index)

    def find(self, digest: str, repeat: int) -> Taped | None:
        """Find the exchange of a request and repeat (from 0), every byte checked; None where there is none."""
        if not 0 <= repeat < REPEATS:
            return None
        key = bytes.fromhex(digest) + repeat.to_bytes(4)
        if (record := self._index.get(key)) is None:
            return None
        try:
            return self.deliver(record)
        except DamageError:
            with self._doubting:
                if not self._doubted:
                    self._doubted = True  # the index may be wrong; it is made again from the segments
                    self._index = Index.open(self.folder, trusting=False)
        record = self._index.get(key)
        return self.deliver(record) if record else None

    def deliver(self, record: bytes) -> Taped:
        """Read the exchange that an index record points to; raises DamageError where it is another or damaged."""
        digest, repeat, answer, segment, offset, length = RECORD.unpack(record)
        where = f"{self.folder}/segment-{segment:05d}.jsonl, byte {offset}"
        if length > LIMIT or offset >= 1 << 62:
            raise DamageError("no line of a tape lies there", where=where, next=RESTORE)
        handle = self._handles.get(segment)
        with translating_os_errors(where):
            data = os.pread(self._opened(segment) if handle is None else handle, length, offset)
        line = read_line(data, where)
        if (line.digest, line.taped.repeat, line.answer) != (digest.hex(), repeat, answer.hex()):
            raise DamageError("another exchange lies where this one should", where=where, next=RESTORE)
        return line.taped

    def _opened(self, segment: int) -> int:
        """Open a segment once, from whichever thread."""
        path = segment_path(self.folder, segment)
        if not path.is_file():
            raise DamageError("a segment of this tape is missing", where=str(path), next="restore it")
        opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        if (handle := self._handles.setdefault(segment, opened)) != opened:
            os.close(opened)
        return handle

    def digest(self) -> str:
        """Compute the tape's digest, which does not depend on order, segments or times of recording.

        It is the SHA-256 of the sorted lines `request digest, repeat, response digest`, as text with spaces between.
        """
        return sha256_stream(_Identity(iter(self._index)))[0]

    def requests(self) -> Iterator[Taped]:
        """Iterate over every exchange in the order of recording, checked."""
        for line in self.lines():
            yield line.taped

    def entries(self) -> Iterator[tuple[str, int, str]]:
        """Iterate over what the tape's digest covers: request digest, repeat and answer digest, sorted."""
        for record in self._index:
            digest, repeat, answer = RECORD.unpack(record)[:3]
            yield digest.hex(), repeat, answer.hex()

    def lines(self) -> Iterator[TapeLine]:
        """Iterate over every line in the order of recording, checked."""
        for entry in scan(self.folder, TapePosition(), self._index.ends):
            yield entry.line

    def nearest(
        self, provider: str, body: Mapping[str, Any], more: Mapping[str, Any] | None = None
    ) -> tuple[Taped, list[str]] | None:
        """Find the recorded request that differs in the fewest fields, and these as JSON Pointers; None: empty tape.

        Of at most 20,000 exchanges all are compared. Of a larger tape so many are, evenly spread over the digests,
        and those of the newest 1 GiB that hold one of the longest texts of the request: a few seconds at most.
        """
        search = Nearest(provider, body, more)
        count = len(self._index)
        records = list(_spread(self._index, max(1, -(-count // SAMPLE))))
        for record in records:
            search.consider(self.deliver(record))
        if count > SAMPLE:
            for text in longest_texts(body):
                for taped in requests_containing(self.folder, self._index.ends, text):
                    search.consider(taped)
        return search.nearest()


def _close(handles: dict[int, int]) -> None:
    while handles:
        os.close(handles.popitem()[1])


def _spread(index: Index, step: int) -> Iterator[bytes]:
    for layer in index.layers:
        for number in range(0, layer.count, step):
            yield layer[number]
    yield from list(index.fresh.values())[::step]


class _Identity(RawIOBase):
    """The byte stream that a tape's digest covers, in constant memory."""

    def __init__(self, records: Iterator[bytes]) -> None:
        self._records = records

    def readinto(self, buffer: Any, /) -> int:
        """Fill a buffer with whole lines."""
        room, lines = len(buffer) // 160, []
        for record in self._records:
            spelled = record[:IDENTITY].hex()
            lines.append(f"{spelled[:64]} {int(spelled[64:72], 16)} {spelled[72:]}\n")
            if len(lines) >= room:
                break
        data = "".join(lines).encode()
        buffer[: len(data)] = data
        return len(data)
