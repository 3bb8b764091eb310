"""A hash-chained log behind an open descriptor: one holder, one line an event, durable where a caller waits for it.

Callers who wait for the disk wait together (group commit). The log of a session holds calls that concern no open
attempt. The answering process gets descriptors and no path; so does this. What an event means is not known here.
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
from harness.clock import Clock
from harness.digest import CHUNK, document, sha256
from harness.errors import DamageError, Defect, HarnessError
from harness.files import append_durable, translate_os_error, write_all, write_atomic
from harness.store.journal import START, Event, check_chain
from harness.store.reader import MOST_LOG
from harness.store.tree import StoreTree


class GroupCommit:
    """The thread that syncs one log. One sync covers every line written before it begins."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._waiting: list[Future[None]] = []
        self._change = threading.Condition()
        self._thread: threading.Thread | None = None
        self._over = False

    def ask(self) -> Future[None]:
        """Return a future that is done when all that was written before this call is durable."""
        future: Future[None] = Future()
        future.set_running_or_notify_cancel()  # a waiter that goes away leaves the others alone
        with self._change:
            self._waiting.append(future)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="group-commit", daemon=True)
                self._thread.start()
            self._change.notify()
        return future

    def end(self) -> None:
        """Sync what is waited for, and end the thread."""
        with self._change:
            self._over = True
            self._change.notify()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while True:
            with self._change:
                while not self._waiting and not self._over:
                    self._change.wait()
                batch, self._waiting = self._waiting, []
            if not batch:
                return
            failure: HarnessError | None = None
            try:
                append_durable(self._handle, ())
            except OSError as bad:
                failure = translate_os_error(bad, "a log of calls")
            for future in batch:
                if failure is None:
                    future.set_result(None)
                else:
                    future.set_exception(failure)


def done() -> Future[None]:
    """Return a future that is done: of a line that nobody waits for."""
    future: Future[None] = Future()
    future.set_result(None)
    return future


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
                "type": self.kind,
                "event": event,
                "at": self.clock.now(),
                "n": self.count,
                "prev": self.head,
                **fields,
            }
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


KIND = "session/1"


def begin_session(path: Path, fields: Mapping[str, Any], tree: StoreTree | None = None) -> str:
    """Write the first line of a session's log: principal, profile, versions, fingerprint of the tools."""
    return create(path, KIND, "session.started", fields, tree)


def session_log(handle: int) -> ChainLog:
    """Open a session's log behind a descriptor; where it was written to before, it says so."""
    log = ChainLog(handle, KIND)
    reopened, log.found = log.torn > 0 or len(log.found) > 1, ()
    if reopened:
        log.add("reopened", {"cut": log.mend()})
    return log
