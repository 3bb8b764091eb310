"""Logs of runs: hash-chained, one canonical JSON line per event, each with the digest of the line before; and types.

The writer appends batches durably. The reader distinguishes a torn end (a killed process) from a broken chain
(tampering).

The types (TypedDicts) say the lines of logs, and a step's key, field by field. At run time they are plain dicts, and a
type checks nothing: here the fields of each line are checked when a log is read, and `store.py` does the same for the
preimage of a key. A log has lines of several kinds, which `event` names; the fields that only some kinds have are in
classes that are not total.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Generic, Literal, NotRequired, TypedDict, TypeVar, overload

from harness.clock import Clock
from harness.digest import encode_document, sha256
from harness.errors import DamageError, HarnessError, MissingError
from harness.files import append_durable, open_log, read_plain, translating_os_errors
from harness.store.tree import MOST_LOG, StoreTree, translating_full_disk


class Line(TypedDict):
    """The fields of every line of a hash-chained log: type, kind, number, and the digest of the line before."""

    type: str
    event: str
    n: int
    prev: str


class HeadEvent(Line):
    """A line of the list of runs: the start or end of a run or an attempt, and its log's last digest (`journal`)."""

    run: str
    journal: str
    record: NotRequired[str]  # of a run that ended


class TimedLine(Line):
    """A line of a hash-chained log that has the time at which it was written."""

    at: str


class Sandbox(TypedDict):
    """The image of foreign code and the digest of its environment document."""

    image: str
    environment: str


class FileCoverage(TypedDict):
    """Number of files of a dataset of many files, and which of them are absent."""

    files: int
    absent: list[str]


class ImportedFrom(TypedDict, total=False):
    """The model and the source of imported answers."""

    model: str
    source: str


class TokenCounts(TypedDict, total=False):
    """Numbers of tokens that a model's requests took."""

    prompt: int
    completion: int
    cached: int


class ModelCalls(TypedDict, total=False):
    """What the gateway counted of the requests to one model."""

    requests: int
    replayed: int
    recorded: int
    live: int
    retries: int
    errors: Mapping[str, int]  # by kind
    tokens: TokenCounts
    dollars: str
    refused: int
    gave_up: int
    outage: int
    unpriced: int
    models: Mapping[str, int]  # by the name that the server gave in its answers
    moved: Mapping[str, int]  # by server
    unnamed: int


class Event(TimedLine, total=False):
    """A line of a run's journal."""

    # run.started
    run: str
    manifest: str
    lock: str
    plan: str
    engine: str
    isolation: str
    image: str
    environment: str
    steps: int  # of run.healed as well
    facts: Mapping[str, Any]  # what the machine and its programs say of themselves; of step.done as well
    limit: int
    clock: str
    data: Mapping[str, FileCoverage]
    sandbox: Sandbox
    asked: Mapping[str, str]  # of a run that an agent asked for: principal, key
    # step.*
    step: str  # of trial.done and output as well
    stage: str
    key: str
    entry: str
    usage: Mapping[str, int]
    sees_gold: bool
    imported: ImportedFrom
    trial: bool | str  # whether foreign code ran in the step; of trial.done the trial's identity
    error: str
    ended: str  # how a step that failed ended
    worker: str  # of a cluster, which executed it; of worker.joined and worker.refused as well
    detail: str
    text: str
    # trial.done
    outcome: str
    # calls
    models: Mapping[str, ModelCalls]
    # run.healed
    blobs: int
    digests: list[str]
    # output
    name: str
    sha256: str
    size: int
    output: str
    # run.finished
    status: str
    events: int


class Canary(TypedDict, total=False):
    """The control item of an attempt."""

    key: str
    sha256: str


class AttemptFields(TypedDict, total=False):
    """The fields that only some lines of a transcript or a session's log have."""

    # attempt.started; principal, profile, versions and tools of session.started as well
    attempt: str
    principal: str
    profile: str
    manifest: str
    name: str
    study: str
    lock: str
    split: str
    subset: str
    hidden: bool
    gold_reachable: bool
    label: str
    budget: Mapping[str, int]  # `calls` and `seconds`
    items: int
    view: str
    media: str
    canary: Canary
    tools: str
    versions: Mapping[str, str]
    secret: str
    idempotency: str
    expires: str
    # call
    tool: str
    args: Mapping[str, Any]  # as the agent sent them, or what is kept of rejected ones
    args_sha256: str
    result_sha256: str
    is_error: bool
    code: str
    protocol: str
    client: str
    ms: int
    calls_left: int
    receipts: list[Mapping[str, Any]]
    # reopened
    cut: int
    # attempt.closed
    reason: str
    answered: int
    abstained: int
    missing: int


class AttemptEvent(TimedLine, AttemptFields):
    """A line of an attempt's transcript, or of a session's log."""


class LabelFields(TypedDict, total=False):
    """The fields of the lines of labels: who labels by which words, and a label of an answer by its row's place."""

    run: str
    record: str
    labeller: str
    scorer: str
    labels: list[str]
    blob: str
    begin: int
    label: str
    labelled: int


class LabelEvent(TimedLine, LabelFields):
    """A line of the labels that a person gave to answers."""


class Preimage(TypedDict, total=False):
    """Everything that can change a step's output; the digest is the step's key."""

    type: str
    kind: str
    params: Mapping[str, Any]
    inputs: Mapping[str, str | list[str]]
    outputs: list[str]
    environment: str
    device: str
    numerics: Mapping[str, str]
    batch: str
    code: str
    attempt: int  # of a step that asks again for some of its recorded answers


E_co = TypeVar("E_co", bound=Line, covariant=True)
AttemptLog = Literal["transcript/1", "session/1"]
START = "0" * 64
MOST_START = 1 << 20  # bytes of the first line of a journal
_HEAD = {"type": str, "event": str, "n": int, "prev": str, "run": str, "journal": str}
_JOURNAL_LINE = {"type": str, "event": str, "at": str, "n": int, "prev": str}
_STEP = {**_JOURNAL_LINE, "step": str}
_FINISHED = {**_STEP, "stage": str, "key": str, "entry": str}
_CALL = {
    **_JOURNAL_LINE,
    "tool": str,
    "args": dict,
    "args_sha256": str,
    "result_sha256": str,
    "is_error": bool,
    "code": str,
    "protocol": str,
    "client": str,
    "ms": int,
}
# The exact fields of each line; any other line means tampering.
SHAPES: Mapping[str, Mapping[str, Mapping[str, type]]] = {
    "head/1": {
        "run.started": _HEAD,
        "run.finished": {**_HEAD, "record": str},
        "attempt.started": _HEAD,
        "attempt.closed": _HEAD,
    },
    "event/1": {
        "run.started": {
            **_JOURNAL_LINE,
            "run": str,
            "manifest": str,
            "lock": str,
            "plan": str,
            "engine": str,
            "isolation": str,
            "image": str,
            "environment": str,
            "steps": int,
            "facts": dict,
        },
        "step.done": {**_FINISHED, "usage": dict},
        "step.cached": _FINISHED,
        "step.failed": {**_STEP, "error": str},
        "step.damaged": {**_STEP, "detail": str},
        "step.log": {**_STEP, "text": str},
        "trial.done": {**_STEP, "trial": str, "outcome": str},
        "calls": {**_JOURNAL_LINE, "models": dict},
        "worker.joined": {**_JOURNAL_LINE, "worker": str, "isolation": str, "facts": dict},
        "worker.refused": {**_JOURNAL_LINE, "worker": str, "why": str},
        "run.healed": {**_JOURNAL_LINE, "steps": int, "blobs": int, "digests": list},
        "output": {**_JOURNAL_LINE, "name": str, "sha256": str, "size": int, "step": str, "output": str},
        "run.finished": {**_JOURNAL_LINE, "status": str, "events": int},
    },
    "transcript/1": {
        "attempt.started": {
            **_JOURNAL_LINE,
            "attempt": str,
            "principal": str,
            "profile": str,
            "manifest": str,
            "name": str,
            "study": str,
            "lock": str,
            "split": str,
            "subset": str,
            "hidden": bool,
            "gold_reachable": bool,
            "label": str,
            "budget": dict,
            "items": int,
            "view": str,
            "media": str,
            "canary": dict,
            "tools": str,
            "versions": dict,
            "secret": str,
            "idempotency": str,
            "expires": str,
        },
        "call": {**_CALL, "calls_left": int},
        "reopened": {**_JOURNAL_LINE, "cut": int},
        "attempt.closed": {**_JOURNAL_LINE, "reason": str, "answered": int, "abstained": int, "missing": int},
    },
    "session/1": {
        "session.started": {**_JOURNAL_LINE, "principal": str, "profile": str, "versions": dict, "tools": str},
        "call": _CALL,
        "reopened": {**_JOURNAL_LINE, "cut": int},
    },
    "labels/1": {
        "labels.started": {
            **_JOURNAL_LINE,
            "run": str,
            "record": str,
            "labeller": str,
            "scorer": str,
            "labels": list,
        },
        "label": {**_JOURNAL_LINE, "blob": str, "begin": int, "label": str},
        "labels.closed": {**_JOURNAL_LINE, "labelled": int},
    },
}
_SANDBOX = {"image": "", "environment": ""}
MAY: Mapping[str, Mapping[str, type]] = {
    "run.started": {"limit": int, "clock": str, "data": dict, "sandbox": dict, "placement": dict, "asked": dict},
    "step.done": {"sees_gold": bool, "imported": dict, "facts": dict, "trial": bool, "worker": str},
    "step.failed": {"ended": str},
    "step.cached": {"sees_gold": bool, "imported": dict, "trial": bool},
    "call": {"receipts": list},
}


class Journal:
    """The writer of one run's events; thread-safe. Written lines are never changed.

    `handle` is the descriptor of its file, opened for appending; without it the file is opened by its path.
    """

    def __init__(self, path: Path, handle: int | None = None) -> None:
        self.path = path
        self.head = START
        self.count = 0
        self._handle = open_log(path) if handle is None else handle
        self._size = 0
        self._waiting: list[bytes] = []
        self._clock = Clock()
        self._lock = threading.Lock()

    def add(self, event: str, fields: Mapping[str, Any]) -> None:
        """Queue an event; it is durable after the next `flush`."""
        with self._lock:
            body = {
                "type": "event/1",
                "event": event,
                "at": self._clock.now(),
                "n": self.count,
                "prev": self.head,
                **fields,
            }
            line = encode_document(body) + b"\n"
            self.head = sha256(line)
            self.count += 1
            self._waiting.append(line)

    def flush(self) -> None:
        """Write every queued event durably with one fdatasync."""
        with self._lock:
            if self._waiting:
                if self._size + sum(map(len, self._waiting)) > MOST_LOG:
                    raise MissingError(
                        f"the journal of this run would grow beyond {MOST_LOG:,} bytes, which nobody reads",
                        where=str(self.path),
                        next="ask for fewer items or larger shards",
                    )
                with translating_full_disk(self.path, sum(map(len, self._waiting))):
                    try:
                        append_durable(self._handle, self._waiting)
                    except OSError:  # a full disk may take half a line, so the log is cut to its last complete state
                        os.ftruncate(self._handle, self._size)
                        raise
                self._size += sum(map(len, self._waiting))
                self._waiting.clear()

    def close(self) -> None:
        """Flush and close the file."""
        try:
            self.flush()
        finally:
            os.close(self._handle)


@dataclass(frozen=True)
class Chain(Generic[E_co]):
    """A parsed hash-chained log as far as it is valid: events, digests of lines, the last digest (`head`), its flaws.

    `torn` says that the last line is cut short, `broken` what is wrong at which line; both are empty without a flaw.
    """

    events: tuple[E_co, ...]
    lines: tuple[str, ...] = ()  # digest of each line
    torn: str = ""
    broken: str = ""
    head: str = field(default=START)


@overload
def read_chain(path: Path, kind: Literal["event/1"] = "event/1", *, spelled: bool = True) -> Chain[Event]: ...
@overload
def read_chain(path: Path, kind: AttemptLog, *, spelled: bool = True) -> Chain[AttemptEvent]: ...
def read_chain(path: Path, kind: Any = "event/1", *, spelled: bool = True) -> Chain[Any]:
    """Read a hash-chained log as far as it is valid; a torn last line is distinguished from a broken one."""
    return check_chain(read_plain(path), kind, spelled=spelled)


@overload
def check_chain(data: bytes, kind: Literal["event/1"] = "event/1", *, spelled: bool = True) -> Chain[Event]: ...
@overload
def check_chain(data: bytes, kind: Literal["head/1"], *, spelled: bool = True) -> Chain[HeadEvent]: ...
@overload
def check_chain(data: bytes, kind: AttemptLog, *, spelled: bool = True) -> Chain[AttemptEvent]: ...
@overload
def check_chain(data: bytes, kind: Literal["labels/1"], *, spelled: bool = True) -> Chain[LabelEvent]: ...
def check_chain(data: bytes, kind: str = "event/1", *, spelled: bool = True) -> Chain[Any]:
    """Check the hash chain of a log's bytes; with `spelled`, each line must be canonical too.

    That is needed if the digest of the last line is not known; such a digest covers every byte before it.
    """
    events: list[dict[str, Any]] = []
    digests: list[str] = []
    head, torn, broken = START, "", ""
    lines = data.split(b"\n")
    tail = lines.pop()
    for number, line in enumerate(lines, 1):
        event, flaw = _event(line, head, number - 1, kind, spelled)
        if flaw:
            broken = f"line {number}: {flaw}"
            break
        events.append(event)
        head = sha256(line + b"\n")
        digests.append(head)
    if tail and not broken:
        torn = f"line {len(lines) + 1} was cut short"
    return Chain(tuple(events), tuple(digests), torn, broken, head)


def _event(line: bytes, prev: str, number: int, kind: str, spelled: bool) -> tuple[dict[str, Any], str]:
    """Parse a line, and return the event, and what is wrong with it or its position."""
    try:
        body = json.loads(line)
        if not isinstance(body, dict) or body.get("type") != kind:
            return {}, f"not an event of type {kind}"
        if spelled and encode_document(body) != line:
            return {}, "not in canonical form"
    except (ValueError, RecursionError, HarnessError):
        return {}, "not an event"
    if not _shaped(body, kind):
        return {}, "is no line that a run writes"
    if body["prev"] != prev:
        return {}, "does not follow the line before it"
    return body, "" if body["n"] == number else "is out of its place"


def _shaped(body: dict[str, Any], kind: str) -> bool:
    """Whether a line has exactly the fields of its event, each of its type."""
    event = str(body.get("event"))
    shape = SHAPES[kind].get(event, {})
    known = {**shape, **MAY.get(event, {})}
    if not shape or set(shape) - set(body) or not all(type(body[name]) is known.get(name) for name in body):
        return False
    sandbox = body.get("sandbox", _SANDBOX)
    return bool(sandbox.keys() == _SANDBOX.keys() and all(isinstance(one, str) for one in sandbox.values()))


KIND: Final = "head/1"
# The canonical form of every kind of line: a fast path for lists of ten thousand runs.
_HEX = r'"([0-9a-f]{64})"'
_HEADS_LINE = re.compile(
    r'\{"event":"(run\.started|run\.finished|attempt\.started|attempt\.closed)","journal":'
    + _HEX
    + r',"n":(0|[1-9][0-9]*),"prev":'
    + _HEX
    + r',(?:"record":'
    + _HEX
    + r',)?"run":"([0-9A-Za-z._-]+)","type":"head/1"\}\n'
)


class Heads:
    """The append-only list of all runs of a store."""

    def __init__(self, tree: StoreTree) -> None:
        self.tree = tree
        self.path = tree.root / "heads.jsonl"
        self._read: tuple[tuple[int, ...], Chain[HeadEvent]] | None = None

    def add(self, event: str, fields: Mapping[str, Any]) -> None:
        """Append a line under the store's lock; a partial last line is cut off first, but never a whole line.

        Raises DamageError, and adds no line, if the chain is broken.
        """
        with self.tree.lock("locks/heads"), translating_os_errors(self.path):
            handle = self.tree.open_log(self.path)
            try:
                data = self.tree.read_file(self.path, MOST_LOG)
                whole = data[: data.rfind(b"\n") + 1]
                if len(whole) != len(data):
                    os.ftruncate(handle, len(whole))
                chain = _chain(whole)
                if chain.broken:
                    raise DamageError(
                        f"the list of runs is broken at {chain.broken}",
                        where=str(self.path),
                        next="restore heads.jsonl from a copy, or begin a fresh store with --store DIR",
                    )
                body = {"type": KIND, "event": event, "n": len(chain.events), "prev": chain.head, **fields}
                append_durable(handle, [encode_document(body) + b"\n"])
            finally:
                os.close(handle)

    def read(self) -> Chain[HeadEvent]:
        """Read the chain as far as it is valid (`Chain.broken` if not); cached while the file is unchanged."""
        facts = self.tree.facts(self.path)
        mark = (facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns) if facts else ()
        if self._read is None or self._read[0] != mark or not mark:
            self._read = (mark, _chain(self.tree.find_file(self.path, MOST_LOG) or b""))
        return self._read[1]


def _chain(data: bytes) -> Chain[HeadEvent]:
    """Parse the list by the fast path; `check_chain` parses anything unusual and reports what is wrong."""
    events: list[HeadEvent] = []
    digests: list[str] = []
    head, read = START, 0
    for number, found in enumerate(_HEADS_LINE.finditer(data.decode("ascii", "replace"))):
        event, journal, n, prev, record, run = found.groups()
        if found.start() != read or prev != head or n != str(number) or bool(record) != (event == "run.finished"):
            break
        read = found.end()
        body: HeadEvent = {"type": KIND, "event": event, "n": number, "prev": prev, "run": run, "journal": journal}
        if record:
            body["record"] = record
        events.append(body)
        head = sha256(data[found.start() : read])
        digests.append(head)
    return Chain(tuple(events), tuple(digests), head=head) if read == len(data) else check_chain(data, KIND)
