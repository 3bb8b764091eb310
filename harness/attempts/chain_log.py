"""A hash-chained log behind an open descriptor: one holder, one line an event, durable where a caller waits for it.

The answering process gets descriptors and no path; so does this. It must never know what an event means.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from harness.attempts.codes import AttemptError
from harness.attempts.commit import GroupCommit, done
from harness.clock import Clock
from harness.digest import CHUNK, document, sha256
from harness.errors import DamageError, Defect
from harness.files import translate_os_error, write_all, write_atomic
from harness.store.journal import START, Event, check_chain
from harness.store.reader import MOST_LOG
from harness.store.tree import StoreTree


def create(path: Path, kind: str, event: str, fields: Mapping[str, Any], tree: StoreTree | None = None) -> str:
    """Write a log's first line durably into a new file, of a store where one is given; gives the line's digest.

    Its owner alone reads it.
    """
    body = {"type": kind, "event": event, "at": Clock().now(), "n": 0, "prev": START, **fields}
    line = document(body) + b"\n"
    write = tree.write_file if tree else write_atomic
    write(path, line, mode=0o600)
    return sha256(line)


def hold(handle: int) -> bool:
    """Take the lock of an open file, once for all copies of the descriptor; False where another opening holds it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def read_whole(handle: int) -> bytes:
    """Read an open file from its beginning, wherever the descriptor stands."""
    if os.fstat(handle).st_size > MOST_LOG:
        raise DamageError(f"this log has more than {MOST_LOG:,} bytes", next="restore it from a copy")
    pieces, at = [], 0
    while piece := os.pread(handle, CHUNK, at):
        pieces.append(piece)
        at += len(piece)
    return b"".join(pieces)


class ChainLog:
    """The one writer of a log. AttemptError where another holds it, DamageError where its chain is broken.

    A last line that was cut short is known from the start (`torn`: its bytes) and removed by `mend`.
    """

    def __init__(self, handle: int, kind: str, clock: Clock | None = None) -> None:
        self.kind = kind
        self.clock = clock or Clock()
        self._handle = handle
        if not hold(handle):
            raise AttemptError("E_BUSY", "another server holds this attempt")
        data = read_whole(handle)
        self._size = data.rfind(b"\n") + 1
        self.torn = len(data) - self._size
        chain = check_chain(data[: self._size], kind)
        if chain.broken or not chain.events:
            raise DamageError(
                f"this log is broken at {chain.broken or 'its first line'}",
                next="restore it from a copy; what stands before that line is whole",
            )
        self.head = chain.head
        self.count = len(chain.events)
        self.found: tuple[Event, ...] = chain.events  # what stood here; emptied by whoever has read it
        self._commit = GroupCommit(handle)
        self._lock = threading.Lock()
        self._failed = False
        self._closed = False

    def mend(self) -> int:
        """Cut off a last line that was cut short, and give the number of its bytes."""
        cut, self.torn = self.torn, 0
        if cut:
            os.ftruncate(self._handle, self._size)
        return cut

    def add(self, event: str, fields: Mapping[str, Any], *, durable: bool = False) -> tuple[Event, Future[None]]:
        """Write an event; gives it, and a future that is done when it is durable: at once unless `durable`.

        HarnessError where the disk takes no line, or failed to keep one before.
        """
        with self._lock:
            if self._failed:
                raise Defect("this log takes no line any more", next="start the server again")
            body = {
                "type": self.kind, "event": event, "at": self.clock.now(), "n": self.count, "prev": self.head, **fields,
            }  # fmt: skip
            line = document(body) + b"\n"
            try:
                write_all(self._handle, line)
            except OSError as bad:  # a full disk may take half a line: the chain ends where it was whole
                with contextlib.suppress(OSError):
                    os.ftruncate(self._handle, self._size)
                raise translate_os_error(bad, self.kind) from bad
            self._size += len(line)
            self.head = sha256(line)
            self.count += 1
            if not durable:
                return body, done()
            future = self._commit.ask()
        future.add_done_callback(self._note)
        return body, future

    def _note(self, future: Future[None]) -> None:
        if future.exception() is not None:  # what a failed sync has dropped is not known: nothing follows it
            self._failed = True

    def close(self) -> None:
        """Sync what is waited for, and close the descriptor; the lock goes with its last copy."""
        with self._lock:
            if not self._closed:
                self._closed = self._failed = True
                self._commit.end()
                os.close(self._handle)
