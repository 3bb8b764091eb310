"""Tape recorder: appends exchanges durably, with one writing process at a time.

Threads share syncs (group commit): what arrives during one is written with the next. It never replaces an answer, and
never sees an API key.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import DamageError, InputError
from harness.files import append_durable, locked, make_folder, open_log, translate_os_error, translating_os_errors
from harness.models.tape.index import KEY, Index, pack_record
from harness.models.tape.line import PreparedExchange, Taped, prepare
from harness.models.tape.reader import Tape
from harness.models.tape.segments import SEGMENT, segment_path

LOCK = "lock"
_BATCH = 4 << 20  # bytes that `extend` writes with one sync


def _holder(folder: Path) -> str:
    """Describe the process that holds a tape's lock, as far as the lock file tells."""
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
    """The one writer of a tape, for any number of threads; `add` returns once an exchange is durable.

    A tape on which another process is recording is refused.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with ExitStack() as stack:
            with translating_os_errors(folder):
                make_folder(folder)
            if not stack.enter_context(locked(folder / LOCK, wait=False)):
                raise InputError(
                    f"another process is recording on this tape{_holder(folder)}",
                    where=str(folder),
                    next="wait until it ends, or record on another tape",
                )
            with contextlib.suppress(OSError):  # the holder is named only to help
                (folder / LOCK).write_text(f"{os.getpid()} {os.getppid()}\n")
            self._index = Index.open(folder)
            self._segment, self._size, self._head = self._index.end
            self._saved = self._index.kept
            self._open(max(self._segment, len(self._index.ends) - 1))
            stack.callback(lambda: os.close(self._handle))
            with translating_os_errors(folder):
                os.ftruncate(self._handle, self._size)  # a partial line that a kill left, never reported
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
        self, provider: str, body: Mapping[str, Any], repeat: int, status: int, response: bytes,
        more: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """Record a complete 2xx answer, and return when it is durable; one already on the tape is a no-op.

        A different answer to the same request and repeat is refused.
        """
        ticket = self._enter(prepare(provider, body, repeat, status, response, more))
        if ticket:
            self._settle([ticket])

    def extend(self, exchanges: Iterable[PreparedExchange]) -> int:
        """Record many exchanges with few syncs; returns how many were new.

        A different answer to a request and repeat on the tape is refused; the exchanges before it are kept.
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
        """Find the exchange of a request and repeat, also one added just now; None where there is none."""
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
        """Wait until the exchanges are on disk, or raise why they are not."""
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
            except BaseException:  # half a batch may stand there: the tape ends where it was whole
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
