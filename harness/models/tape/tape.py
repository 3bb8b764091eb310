"""The tape: recorded answers of models by request digest, so that runs against an API can be replayed at any time.

A tape is a folder. `segment-00000.jsonl …` are the tape, one canonical line per exchange, hash-chained and append-only;
`index.bin` is a cache of their locations. The reader looks up answers and checks each one before it is returned. For a
missing answer it finds the nearest recorded request, which explains the miss and is not used as an answer. The recorder
appends exchanges durably, with one writing process at a time; exchanges that arrive during a sync are written with the
next one. It does not replace answers, and does not see API keys.
"""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from io import RawIOBase
from pathlib import Path
from typing import Any

from harness.digest import canonical_json, differing_pointers, sha256_stream, walk_values
from harness.errors import DamageError, InputError
from harness.files import append_durable, hold_lock, make_folder, open_log, translate_os_error, translating_os_errors
from harness.models.tape.index import (
    IDENTITY,
    KEY,
    RECORD,
    SEGMENT,
    Index,
    TapeEntry,
    TapePosition,
    pack_record,
    scan_lines,
    segment_path,
)
from harness.models.tape.line import (
    LIMIT,
    REPEATS,
    RESTORE,
    SERVER,
    PreparedExchange,
    Provenance,
    Taped,
    TapeLine,
    parse,
    prepare_exchange,
    read_line,
    request_digest,
    request_identity,
)

SAMPLE = 20_000  # most requests that are compared
_SEGMENTS, _HITS, _TEXTS = 16, 200, 3


class NearestRequest:
    """Search for the recorded request that is most similar to a given one."""

    def __init__(self, provider: str, body: Mapping[str, Any], more: Mapping[str, Any] | None = None) -> None:
        identity = request_identity(provider, body, more)
        self._wanted = parse(canonical_json(identity).decode())  # in the form on a tape, where 0.0 is 0
        self._best: tuple[tuple[int, int, str, int], Taped, list[str]] | None = None

    def consider(self, taped: Taped) -> None:
        """Compare one more recorded request, and keep it if it is more similar than the best so far."""
        have = request_identity(taped.provider, taped.body, taped.more)
        fields = []
        for field in differing_pointers(self._wanted, have):
            fields.append(field)
            if self._best and len(fields) > self._best[0][0]:
                return
        apart = sum(_apart(self._wanted, have, field) for field in fields if field != f"/{SERVER}")
        measure = (len(fields), apart, taped.at, taped.repeat)
        if self._best is None or measure < self._best[0]:
            self._best = measure, taped, fields

    def nearest(self) -> tuple[Taped, list[str]] | None:
        """Return the nearest request and the fields in which it differs; None if none was considered."""
        return self._best[1:] if self._best else None


def _apart(left: Any, right: Any, pointer: str) -> int:
    """Return the number of characters that differ at one field, without the common prefix and suffix."""
    ours, theirs = value_at(left, pointer), value_at(right, pointer)
    start = _common(ours, theirs)
    end = _common(ours[: start - 1 : -1] if start else ours[::-1], theirs[: start - 1 : -1] if start else theirs[::-1])
    return len(ours) + len(theirs) - 2 * (start + end)


def _common(left: bytes, right: bytes) -> int:
    """Return the length of the common prefix, found by binary search."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if left[low:middle] == right[low:middle] else (low, middle - 1)
    return low


def value_at(value: Any, pointer: str) -> bytes:
    """Return the canonical encoding of the value at a JSON Pointer; empty if there is none."""
    for word in pointer.split("/")[1:]:
        name = word.replace("~1", "/").replace("~0", "~")
        if isinstance(value, Mapping):
            if name not in value:
                return b""
            value = value[name]
        else:
            value = value[int(name)]
    return canonical_json(value)


def longest_texts(body: Mapping[str, Any]) -> list[str]:
    """Return the three longest texts of a request, of 8 characters or more, by which similar requests can be found."""
    texts = {item for _, item in walk_values(body) if isinstance(item, str) and len(item) >= 8}
    return sorted(texts, key=lambda text: (-len(text), text))[:_TEXTS]


def requests_containing(folder: Path, ends: list[int], text: str) -> Iterator[Taped]:
    """Yield exchanges of the 16 newest segments that contain a text, at most 200."""
    needle, hits = canonical_json(text), 0
    for number in reversed(range(max(0, len(ends) - _SEGMENTS), len(ends))):
        path = segment_path(folder, number)
        with translating_os_errors(path), open(path, "rb") as file:
            data = file.read(min(ends[number], SEGMENT + LIMIT))
        at = data.find(needle)
        while at >= 0 and hits < _HITS:
            begin, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at) + 1
            if not end:
                break
            hits, at = hits + 1, data.find(needle, end)
            yield read_line(data[begin:end], str(path)).taped


class Tape:
    """A tape opened for reading: recorded answers by request digest and repeat; thread-safe."""

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
        """Return the number of exchanges."""
        return len(self._index)

    def find(self, digest: str, repeat: int) -> Taped | None:
        """Return the exchange of a request and repeat (from 0), every byte checked; None if there is none."""
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
                    self._doubted = True  # the index may be wrong, so it is rebuilt from the segments
                    self._index = Index.open(self.folder, trusting=False)
        record = self._index.get(key)
        return self.deliver(record) if record else None

    def deliver(self, record: bytes) -> Taped:
        """Read the exchange that an index record points to; raises DamageError if it is another one or damaged."""
        return self._entry(record).line.taped

    def locate(self, digest: str, repeat: int) -> TapeEntry | None:
        """Return the line of a request and repeat, and where it is, every byte checked; None if there is none."""
        found = self.find(digest, repeat)  # an index that is wrong is made anew on the way
        record = self._index.get(bytes.fromhex(digest) + repeat.to_bytes(4)) if found else None
        return self._entry(record) if record else None

    def _entry(self, record: bytes) -> TapeEntry:
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
        return TapeEntry(line, segment, offset, length)

    def _opened(self, segment: int) -> int:
        """Open a segment once for all threads, and return its descriptor."""
        path = segment_path(self.folder, segment)
        if not path.is_file():
            raise DamageError("a segment of this tape is missing", where=str(path), next="restore it")
        opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        if (handle := self._handles.setdefault(segment, opened)) != opened:
            os.close(opened)
        return handle

    def digest(self) -> str:
        """Return the tape's digest, which does not depend on order, segments or times of recording.

        It is the SHA-256 of the sorted lines `request digest, repeat, response digest`, as text with spaces between.
        """
        return sha256_stream(_Identity(iter(self._index)))[0]

    def requests(self) -> Iterator[Taped]:
        """Yield every recorded exchange, checked, in the order of recording."""
        for line in self.lines():
            yield line.taped

    def entries(self) -> Iterator[tuple[str, int, str]]:
        """Yield the data that the tape's digest covers: request digest, repeat and answer digest, sorted."""
        for record in self._index:
            digest, repeat, answer = RECORD.unpack(record)[:3]
            yield digest.hex(), repeat, answer.hex()

    def lines(self) -> Iterator[TapeLine]:
        """Yield every line of the tape, checked, in the order of recording."""
        for entry in scan_lines(self.folder, TapePosition(), self._index.ends):
            yield entry.line

    def nearest(
        self, provider: str, body: Mapping[str, Any], more: Mapping[str, Any] | None = None
    ) -> tuple[Taped, list[str]] | None:
        """Return the recorded request that differs in the fewest fields, and these as JSON Pointers, or None.

        On a tape of at most 20,000 exchanges, all are compared. On a larger tape, 20,000 are compared, evenly spread
        over the digests, and also those of the newest 1 GiB that contain one of the request's longest texts. This takes
        a few seconds at most. None means that the tape is empty.
        """
        search = NearestRequest(provider, body, more)
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


LOCK = "lock"
_BATCH = 4 << 20  # bytes that `extend` writes with one sync


def _holder(folder: Path) -> str:
    """Return a description of the process that holds a tape's lock, if the lock file has one."""
    try:
        own, parent = (folder / LOCK).read_text().split()
    except (OSError, ValueError):
        return ""
    return f": process {own}, started by process {parent}" if own.isdigit() and parent.isdigit() else ""


@dataclass(eq=False)
class _Ticket:
    """A queued exchange and its outcome."""

    exchange: PreparedExchange
    done: bool = False
    error: BaseException | None = None


class Recorder:
    """The single writer of a tape, for any number of threads; `add` returns when an exchange is durable.

    Raises InputError if another process is recording on the tape.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with ExitStack() as stack:
            with translating_os_errors(folder):
                make_folder(folder)
            if not stack.enter_context(hold_lock(folder / LOCK, wait=False)):
                raise InputError(
                    f"another process is recording on this tape{_holder(folder)}",
                    where=str(folder),
                    next="wait until it ends, or record on another tape",
                )
            with contextlib.suppress(OSError):  # the holder's name is only informative
                (folder / LOCK).write_text(f"{os.getpid()} {os.getppid()}\n")
            self._index = Index.open(folder)
            self._segment, self._size, self._head = self._index.end
            self._saved = self._index.kept
            self._open(max(self._segment, len(self._index.ends) - 1))
            stack.callback(lambda: os.close(self._handle))
            with translating_os_errors(folder):
                os.ftruncate(self._handle, self._size)  # drop a partial line of a killed process, never reported
            self._leave = stack.pop_all()
        self._guard, self._writing = threading.Lock(), threading.Lock()
        self._tape = Tape(folder, self._index)
        self._line: list[_Ticket] = []
        self._waiting: dict[bytes, _Ticket] = {}
        self._closed = False

    def _open(self, segment: int) -> None:
        """Open a segment for appending, or begin a new one."""
        handle = open_log(segment_path(self.folder, segment))
        if segment != self._segment:
            self._segment, self._size = segment, 0
        self._handle = handle

    def add(
        self,
        provider: str,
        body: Mapping[str, Any],
        repeat: int,
        status: int,
        response: bytes,
        more: Mapping[str, Any] | None = None,
        home: str = "",
    ) -> None:
        """Record a complete 2xx answer, and return when it is durable; an answer already on the tape changes nothing.

        `home` is the provider's own address if the provider itself answered; another server's address is in `more`.
        Raises InputError for a different answer to the same request and repeat.
        """
        ticket = self._enter(prepare_exchange(provider, body, repeat, status, response, more, Provenance(home=home)))
        if ticket:
            self._settle([ticket])

    def extend(self, exchanges: Iterable[PreparedExchange]) -> int:
        """Record many exchanges with few syncs, and return how many were new.

        Raises InputError for a different answer to a request and repeat on the tape; the exchanges before it are kept.
        """
        count, size = 0, 0
        batch: list[_Ticket] = []
        try:
            for one in exchanges:
                ticket = self._enter(one)
                if ticket and ticket.exchange is one:
                    batch.append(ticket)
                    count, size = count + 1, size + len(one.middle)
                if size >= _BATCH:
                    self._settle(batch)
                    batch, size = [], 0
        finally:
            self._settle(batch)
        return count

    def find(self, digest: str, repeat: int) -> Taped | None:
        """Return the exchange of a request and repeat, including one added just now; None if there is none."""
        with self._guard:
            record = self._index.get(bytes.fromhex(digest) + repeat.to_bytes(4))
        return self._tape.deliver(record) if record else None

    def _enter(self, one: PreparedExchange) -> _Ticket | None:
        """Queue an exchange, unless the tape has it."""
        key = bytes.fromhex(one.digest) + one.repeat.to_bytes(4)
        with self._guard:
            if self._closed:
                raise ValueError("this recorder was closed")
            waiting = self._waiting.get(key)
            record = self._index.get(key)
            known = waiting.exchange.answer if waiting else record[KEY : KEY + 32].hex() if record else one.answer
            if known != one.answer:
                raise InputError(
                    f"request {one.digest[:12]}, repeat {one.repeat}, is on this tape with another answer",
                    where=str(self.folder),
                    next="give it the next repeat, or record on a new tape; what is taped is never replaced",
                )
            if waiting or record:
                return waiting
            ticket = self._waiting[key] = _Ticket(one)
            self._line.append(ticket)
            return ticket

    def _settle(self, tickets: list[_Ticket]) -> None:
        """Wait until the exchanges are on disk, or raise the error that prevented it."""
        if not tickets:
            return
        with self._writing:
            if not all(ticket.done for ticket in tickets):
                with self._guard:
                    batch, self._line = self._line, []
                self._write(batch)
        for ticket in tickets:
            if isinstance(ticket.error, OSError):
                raise translate_os_error(ticket.error, self.folder) from ticket.error
            if ticket.error:
                raise ticket.error

    def _write(self, batch: list[_Ticket]) -> None:
        """Append a batch to the hash chain with one sync, all of it or none."""
        records: dict[bytes, bytes] = {}
        error: BaseException | None = None
        try:
            if self._size >= SEGMENT:
                self._roll()
            if os.fstat(self._handle).st_size != self._size:
                raise DamageError(
                    "something else wrote on this tape while it was recorded",
                    where=str(segment_path(self.folder, self._segment)),
                    next="`harness tape verify` says what stands there now",
                )
            lines, at, head = [], self._size, self._head
            for ticket in batch:
                one = ticket.exchange
                line, head = one.line(head)
                record = pack_record(one.digest, one.repeat, one.answer, self._segment, at, len(line))
                records[record[:KEY]] = record
                lines.append(line)
                at += len(line)
            try:
                append_durable(self._handle, lines)
            except BaseException:  # part of the batch may be on disk; truncate the tape to its old end
                os.ftruncate(self._handle, self._size)
                raise
            self._size, self._head, self._saved = at, head, False
        except BaseException as bad:
            error, records = bad, {}
            if not isinstance(bad, Exception):
                raise
        finally:
            with self._guard:
                self._index.fresh.update(records)
                for ticket in batch:
                    ticket.done, ticket.error = True, error
                    del self._waiting[bytes.fromhex(ticket.exchange.digest) + ticket.exchange.repeat.to_bytes(4)]

    def _roll(self) -> None:
        """Begin a new segment, and save the index of the earlier ones."""
        old = self._handle
        self._open(self._segment + 1)
        os.close(old)
        self._save(self._segment)

    def _save(self, segments: int) -> None:
        ends = [segment_path(self.folder, number).stat().st_size for number in range(segments)]
        with self._guard:
            self._index.save(ends, self._head)
        self._saved = True

    def close(self) -> None:
        """Save the index and release the lock; recorded exchanges are durable without it."""
        with self._writing:
            if self._closed:
                return
            with self._guard:
                self._closed = True
            self._tape.close()
            with self._leave, translating_os_errors(self.folder):
                if not self._saved and len(self._index):
                    self._save(self._segment + (self._size > 0))

    def __enter__(self) -> Recorder:
        """Enter a `with` block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the recorder."""
        self.close()


__all__ = ["Recorder", "Tape", "Taped", "request_digest"]
