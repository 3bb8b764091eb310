"""Logs behind open descriptors: the hash-chained log of a session, and the transcript of an attempt with its state.

A log has one holder and one line per event, durable if a caller waits for it; callers who wait for the disk share a
sync (group commit). The log of a session has the calls that concern no open attempt. The answering process gets
descriptors and no paths, and so does this module.

The state of an attempt (answers, budget, end) is the same while the transcript grows and when it is read later. A line
may come from any copy of a store: a line that no desk writes is a flaw, or for the first line a DamageError. Names of
items and cursors are HMACs under the attempt's own secret, and reveal nothing about items.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import fcntl
import hmac
import os
import threading
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypedDict, cast

from harness.attempts.codes import AttemptError
from harness.clock import Clock, time_after
from harness.digest import CHUNK, MAX_INT, canonical_json, encode_document, sha256
from harness.errors import DamageError, Defect, HarnessError
from harness.files import append_durable, translate_os_error, write_atomic, write_every_byte
from harness.store.journal import START, AttemptEvent, AttemptFields, AttemptLog, check_chain
from harness.store.tree import MOST_LOG, StoreTree


class GroupCommit:
    """The thread that syncs one log. One sync covers every line written before it begins."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._waiting: list[Future[None]] = []
        self._change = threading.Condition()
        self._thread: threading.Thread | None = None
        self._over = False

    def ask(self) -> Future[None]:
        """Return a future that is done when everything written before this call is on the disk."""
        future: Future[None] = Future()
        future.set_running_or_notify_cancel()  # a waiter that is cancelled does not affect the others
        with self._change:
            self._waiting.append(future)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="group-commit", daemon=True)
                self._thread.start()
            self._change.notify()
        return future

    def end(self) -> None:
        """Write everything that callers wait for to the disk, and end the thread."""
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


def done_future() -> Future[None]:
    """Return a future that is already done, for a line that no caller waits for."""
    future: Future[None] = Future()
    future.set_result(None)
    return future


def create_log(path: Path, kind: AttemptLog, event: str, fields: AttemptFields, tree: StoreTree | None = None) -> str:
    """Write a log's first line durably into a new file, in a store if given, and return the line's digest.

    Only its owner can read the file.
    """
    body = {"type": kind, "event": event, "at": Clock().now(), "n": 0, "prev": START, **fields}
    line = encode_document(body) + b"\n"
    write = tree.write_file if tree else write_atomic
    write(path, line, mode=0o600)
    return sha256(line)


def lock_descriptor(handle: int) -> bool:
    """Take the lock of an open file, once for all copies of the descriptor; False if another opening holds it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def read_whole(handle: int) -> bytes:
    """Read an open file from its beginning, whatever the descriptor's position."""
    if os.fstat(handle).st_size > MOST_LOG:
        raise DamageError(f"this log has more than {MOST_LOG:,} bytes", next="restore it from a copy")
    pieces, at = [], 0
    while piece := os.pread(handle, CHUNK, at):
        pieces.append(piece)
        at += len(piece)
    return b"".join(pieces)


class ChainLog:
    """The single writer of a log. Raises AttemptError if another process holds it, DamageError if its chain is broken.

    A last line that was cut short is known from the start (`torn`: its bytes) and removed by `mend`.
    """

    def __init__(self, handle: int, kind: AttemptLog, clock: Clock | None = None) -> None:
        self.kind = kind
        self.clock = clock or Clock()
        self._handle = handle
        if not lock_descriptor(handle):
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
        self.found: tuple[AttemptEvent, ...] = chain.events  # events found on opening; emptied by their reader
        self._commit = GroupCommit(handle)
        self._lock = threading.Lock()
        self._failed = False
        self._closed = False

    def mend(self) -> int:
        """Cut off a last line that was cut short, and return the number of its bytes."""
        cut, self.torn = self.torn, 0
        if cut:
            os.ftruncate(self._handle, self._size)
        return cut

    def add(self, event: str, fields: AttemptFields, *, durable: bool = False) -> tuple[AttemptEvent, Future[None]]:
        """Write an event, and return it with a future that is done when it is durable; at once unless `durable`.

        Raises HarnessError if the disk takes no line, or failed to store an earlier one.
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
            line = encode_document(body) + b"\n"
            try:
                write_every_byte(self._handle, line)
            except OSError as bad:  # a full disk may take half a line, so the log is cut to its last complete state
                with contextlib.suppress(OSError):
                    os.ftruncate(self._handle, self._size)
                raise translate_os_error(bad, self.kind) from bad
            self._size += len(line)
            self.head = sha256(line)
            self.count += 1
            if not durable:
                return cast(AttemptEvent, body), done_future()
            future = self._commit.ask()
        future.add_done_callback(self._note)
        return cast(AttemptEvent, body), future

    def _note(self, future: Future[None]) -> None:
        if future.exception() is not None:  # the data lost by a failed sync are not known, so no line may follow
            self._failed = True

    def close(self) -> None:
        """Sync for all waiting callers, and close the descriptor; the lock ends with its last copy."""
        with self._lock:
            if not self._closed:
                self._closed = self._failed = True
                self._commit.end()
                os.close(self._handle)


SESSION_KIND: Final = "session/1"


def begin_session(path: Path, fields: Mapping[str, Any], tree: StoreTree | None = None) -> str:
    """Write the first line of a session's log: principal, profile, versions, fingerprint of the tools."""
    return create_log(path, SESSION_KIND, "session.started", cast(AttemptFields, fields), tree)


def open_session_log(handle: int) -> ChainLog:
    """Open a session's log behind a descriptor; if it already had events, a `reopened` event is added."""
    log = ChainLog(handle, SESSION_KIND)
    reopened, log.found = log.torn > 0 or len(log.found) > 1, ()
    if reopened:
        log.add("reopened", {"cut": log.mend()})
    return log


_MARK = 16  # bytes of a cursor's HMAC


def item_key(item: str, template: int) -> str:
    """Return the key of a prompt in a view: the digest of its item and template."""
    return sha256(canonical_json({"item": item, "template": template}))


def item_id(secret: bytes, key: str) -> str:
    """Return the name of a prompt for the agent of one attempt: 16 hex digits that differ between attempts."""
    return hmac.digest(secret, key.encode(), "sha256").hex()[:16]


def make_cursor(secret: bytes, query: Mapping[str, str | int], last: str) -> str:
    """Return the cursor that continues after an item, valid for the same attempt and query only."""
    return base64.urlsafe_b64encode(_code(secret, query, last) + last.encode()).decode().rstrip("=")


def read_cursor(secret: bytes, query: Mapping[str, str | int], cursor: str) -> str:
    """Return the item after which a cursor continues; raises AttemptError if it is not of this attempt and query."""
    try:
        data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        last = data[_MARK:].decode("ascii")
    except (ValueError, binascii.Error):
        data, last = b"", ""
    if not hmac.compare_digest(data[:_MARK], _code(secret, query, last)) or make_cursor(secret, query, last) != cursor:
        raise AttemptError("E_CURSOR", "this cursor was not made for this attempt and these arguments")
    return last


def _code(secret: bytes, query: Mapping[str, str | int], last: str) -> bytes:
    return hmac.digest(secret, canonical_json({"cursor": last, "query": dict(query)}), "sha256")[:_MARK]


RECORDED = "recorded"
SUBMIT = "submit_answers"


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """The one answer to an item: its text, what the agent said about it, and the record that has it."""

    text: str
    abstain: bool
    confidence: str | None
    record: int

    @property
    def sha256(self) -> str:
        """The digest of the answer with its abstention and confidence, as in a receipt."""
        return answer_digest(self.text, self.abstain, self.confidence)


def answer_digest(text: str, abstain: bool, confidence: str | None) -> str:
    """Return the digest of an answer; equal answers have equal digests, however they were sent."""
    return sha256(canonical_json({"abstain": abstain, "answer": text, "confidence": confidence}))


def answer_text(answer: str | int) -> str:
    """Return the text that is scored; for a whole number, its decimal digits."""
    return answer if isinstance(answer, str) else str(answer)


class AnswerCounts(TypedDict):
    """Numbers of answers, of abstentions among them, and of items without an answer."""

    answered: int
    abstained: int
    missing: int


@dataclass
class AttemptState:
    """State of an attempt after some of its events: what was answered, and what is left of its budget."""

    header: AttemptEvent  # the first line
    answers: dict[str, RecordedAnswer] = field(default_factory=dict)
    calls: int = 0
    closed: AttemptEvent | None = None
    flaws: list[str] = field(default_factory=list)  # contents that no desk writes, in well-formed lines

    def __post_init__(self) -> None:
        """Set the secret and the control item, which is not counted; raises DamageError for an invalid header."""
        if not _sound(self.header):
            raise DamageError("this transcript does not begin as a desk begins one", next="restore it from a copy")
        self.secret = bytes.fromhex(self.header["secret"])
        self.canary = item_id(self.secret, self.header["canary"]["key"])

    def apply(self, event: AttemptEvent) -> None:
        """Take the next event of the transcript into the state."""
        if self.closed is not None:
            self.flaws.append(f"record {event['n']} follows the end")
        if event["event"] == "call":
            self.calls += 1
            if event["calls_left"] != self.calls_left:
                self.flaws.append(f"record {event['n']} miscounts the calls left")
            self._answers(event)
        elif event["event"] == "attempt.closed":
            self.closed = event
            counted = {"answered": event["answered"], "abstained": event["abstained"], "missing": event["missing"]}
            if counted != self.counts():
                self.flaws.append(f"record {event['n']} miscounts the answers")
        elif event["event"] == "attempt.started":
            self.flaws.append(f"record {event['n']} starts the attempt again")

    def _answers(self, event: AttemptEvent) -> None:
        """Add the answers of a call that were recorded according to its receipts."""
        receipts = event.get("receipts", [])
        if not receipts:
            return
        given = event["args"].get("answers")
        if event["tool"] != SUBMIT or event["is_error"] or not isinstance(given, list) or len(given) != len(receipts):
            self.flaws.append(f"record {event['n']} has receipts that are of no answers")
            return
        for answer, receipt in zip(given, receipts, strict=True):
            if not isinstance(receipt, dict) or receipt.get("status") != RECORDED:
                continue
            name, recorded = receipt.get("item_id"), _recorded(answer, event["n"])
            if recorded is None or not isinstance(name, str) or answer.get("item_id") != name:
                self.flaws.append(f"record {event['n']} has a receipt that is not of its answer")
                continue
            if name in self.answers or receipt.get("answer_sha256") != recorded.sha256:
                self.flaws.append(f"record {event['n']} records an answer twice, or another than its receipt says")
            self.answers.setdefault(name, recorded)

    @property
    def calls_left(self) -> int:
        """The number of calls that may still be made."""
        return max(0, int(self.header["budget"]["calls"]) - self.calls)

    @property
    def remaining(self) -> int:
        """The number of items without an answer, apart from the control item."""
        return int(self.header["items"]) - (len(self.answers) - (self.canary in self.answers))

    @property
    def asked(self) -> int:
        """The number of items that the agent is asked: those of the benchmark, and the control item among them."""
        return int(self.header["items"]) + 1

    @property
    def unanswered(self) -> int:
        """The number of items without an answer as the agent is told it, who does not know the control item."""
        return self.asked - len(self.answers)

    def counts(self) -> AnswerCounts:
        """Count answers, abstentions among them, and items without an answer, apart from the control item."""
        counted = [answer for name, answer in self.answers.items() if name != self.canary]
        abstained = sum(answer.abstain for answer in counted)
        return {"answered": len(counted), "abstained": abstained, "missing": self.remaining}

    def told(self) -> AnswerCounts:
        """Count answers, abstentions and open items as the agent is told them: the control item is counted, too."""
        abstained = sum(answer.abstain for answer in self.answers.values())
        return {"answered": len(self.answers), "abstained": abstained, "missing": self.unanswered}


def fold_events(events: Iterable[AttemptEvent]) -> AttemptState:
    """Return the state after all events of a transcript, the first of which starts the attempt."""
    first, *rest = events
    state = AttemptState(first)
    for event in rest:
        state.apply(event)
    return state


def _recorded(answer: Any, record: int) -> RecordedAnswer | None:
    """Parse an answer as a desk records it; None for other values."""
    if not isinstance(answer, dict):
        return None
    text, abstain, confidence = answer.get("answer"), answer.get("abstain"), answer.get("confidence")
    if isinstance(text, bool) or not isinstance(text, str | int):
        return None
    if not isinstance(abstain, bool) or not isinstance(confidence, str | None):
        return None
    return RecordedAnswer(answer_text(text), abstain, confidence, record)


def _sound(header: AttemptEvent) -> bool:
    """Whether the parts of a first line that the state depends on are such as a desk writes."""
    budget, canary = header["budget"], header["canary"]
    counts = (budget.get("calls"), budget.get("seconds"), header["items"])
    try:
        bytes.fromhex(header["secret"])
        time_after(header["at"], budget["seconds"])
    except (ValueError, LookupError, TypeError, OverflowError):
        return False
    words = (canary.get("key"), canary.get("sha256"))
    return all(type(count) is int and 0 <= count <= MAX_INT for count in counts) and all(
        isinstance(word, str) for word in words
    )


KIND: Final = "transcript/1"
STARTED, CALL, REOPENED, CLOSED = "attempt.started", "call", "reopened", "attempt.closed"
FINISHED, ABANDONED, EXPIRED = "finished", "abandoned", "expired"


def begin_transcript(path: Path, fields: AttemptFields, tree: StoreTree | None = None) -> str:
    """Write the first line of an attempt's transcript durably, and return its digest, which the list of runs names."""
    return create_log(path, KIND, STARTED, fields, tree)


class Transcript:
    """The transcript behind a descriptor and the state computed from it; each event is applied as it is written.

    Opening a transcript that was written to before adds an event that says so, with the number of bytes of a torn line
    that were cut off. A closed transcript is only read. Raises AttemptError (E_BUSY) if another process holds it,
    DamageError if its chain is broken; then the descriptor stays the caller's, otherwise it is closed with the
    transcript.
    """

    def __init__(self, handle: int, clock: Clock | None = None) -> None:
        self.log = ChainLog(handle, KIND, clock)
        if self.log.found[0]["event"] != STARTED:
            raise DamageError("this transcript does not begin with a start", next="restore it from a copy")
        self.state: AttemptState = fold_events(self.log.found)
        reopened, self.log.found = len(self.log.found) > 1 or self.log.torn > 0, ()
        if self.state.flaws:
            raise DamageError(
                f"this transcript was not written by a desk: {self.state.flaws[0]}", next="restore it from a copy"
            )
        if self.state.closed is None and reopened:
            self.add(REOPENED, {"cut": self.log.mend()})

    @property
    def head(self) -> str:
        """The digest of the last line."""
        return self.log.head

    def now(self) -> str:
        """Return the current time in the form that the lines of the transcript have."""
        return self.log.clock.now()

    def add(self, event: str, fields: AttemptFields, *, durable: bool = False) -> Future[None]:
        """Write an event and apply it, and return a future that is done when it is durable."""
        body, future = self.log.add(event, fields, durable=durable)
        self.state.apply(body)
        return future

    def end(self, reason: str) -> Future[None]:
        """Write the last event, with the counts; nothing follows it. Returns a done future if it was written before."""
        if self.state.closed is not None:
            return done_future()
        counts = self.state.counts()
        ended: AttemptFields = {
            "reason": reason,
            "answered": counts["answered"],
            "abstained": counts["abstained"],
            "missing": counts["missing"],
        }
        return self.add(CLOSED, ended, durable=True)

    def close(self) -> None:
        """Close the transcript's file."""
        self.log.close()
