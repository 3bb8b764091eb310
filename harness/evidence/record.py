"""The record of a run (`record.json`): computed from its journal alone, verified when read, found by path.

Times of a run or attempt (its id, the events of its log, this machine's clock) are checked for contradictions. A clock
that was set back between two runs is not a contradiction; within a log, times only go forward.

What ended a failed step is read from the line of the journal that says so: a step killed for memory or time, one that
crashed, and one whose own program failed are told apart. A wrong answer is none of these: its step succeeded, and a
scorer says so. What the error's words mean to a person is not known here.
"""

from __future__ import annotations

import datetime
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypedDict, cast

from harness.clock import MONOTONE, current_time, time_after
from harness.digest import encode_document, parse_document
from harness.errors import InputError
from harness.files import read_plain
from harness.store.attempts import ATTEMPT_ID, attempt_of_run
from harness.store.journal import Chain, Event, FileCoverage, HeadEvent, ModelCalls, Sandbox, TimedLine
from harness.store.store import (
    Entry,
    Listed,
    Store,
    follow_journal,
    gather_listed_runs,
    listing_error,
    read_record_bytes,
    read_start,
    require_listed,
)
from harness.store.tree import MOST_RECORD

MEMORY, TIME, DISK, KILLED, CRASHED, LOST, OUTPUTS, STOPPED, FAILED = (
    "memory", "time", "disk", "killed", "crashed", "worker-lost", "outputs", "stopped", "failed",
)  # fmt: skip
# How errors of steps begin, after the step's name, and the name of each; the first that fits.
_SPELLED: tuple[tuple[str, str], ...] = (
    (r"(failed: )?needed more than [0-9]+ MiB\b.*", MEMORY),
    (r"failed: MemoryError\b.*", MEMORY),
    (r"failed: took more than [0-9.e+]+ s", TIME),
    (r"(failed: )?wrote .*", DISK),
    (r"failed: was ended by signal 9", KILLED),  # from outside: what killed it did not say why
    (r"failed: was ended by signal [0-9]+", CRASHED),
    (r"(made|removed) .*", OUTPUTS),
)
_WHOLE = {"the run was stopped": STOPPED, "the disk is full": DISK}
_SIGNAL = re.compile(r"was ended by (signal [0-9]+)")


@dataclass(frozen=True)
class FailedStep:
    """A step of a run that failed: its name, what ended it, and the error as the journal has it."""

    step: str
    outcome: str  # memory | time | disk | killed | crashed | worker-lost | outputs | stopped | failed
    error: str

    @property
    def text(self) -> str:
        """The outcome and the step as one phrase, with the signal of a crash."""
        signal = _SIGNAL.search(self.error) if self.outcome == CRASHED else None
        return f"{self.outcome}{f' by {signal[1]}' if signal else ''}: {self.step}"


def name_failure(step: str, error: str) -> str:
    """Return the name of what ended a step, from its error; `failed` if its program ended by itself."""
    if error in _WHOLE:
        return _WHOLE[error]
    said = error.removeprefix(f"step {step} ")
    return next((name for pattern, name in _SPELLED if re.fullmatch(pattern, said, re.DOTALL)), FAILED)


def failed_steps(events: Iterable[Event]) -> list[FailedStep]:
    """Return the failed steps of a run, in the order of its journal."""
    return [_failed(event) for event in events if event["event"] == "step.failed"]


def _failed(event: Event) -> FailedStep:
    """Return a failed step as its line names it; a line from before lines named it is read by its words."""
    step, error, said = str(event["step"]), str(event["error"]), str(event.get("ended", FAILED))
    return FailedStep(step, said if said != FAILED else name_failure(step, error), error)


STATES = {"step.done": "executed", "step.cached": "cached", "step.failed": "failed"}
FINISHED = ("step.done", "step.cached")
FILES = ("journal.jsonl", "record.json")  # the files of a run
# Fields of `run.started` that the record repeats.
STARTED = (
    "run",
    "manifest",
    "lock",
    "plan",
    "engine",
    "isolation",
    "image",
    "environment",
    "facts",
    "limit",
    "data",
    "sandbox",
    "placement",
    "asked",
)
# Fields that the record takes from lines about a worker.
WORKERS: Mapping[str, tuple[str, ...]] = {"worker.joined": ("isolation", "facts"), "worker.refused": ("why",)}
# Fields that the record takes from lines about the whole run.
TOLD: Mapping[str, Callable[[Event], dict[str, Any]]] = {
    "calls": lambda event: {"calls": event["models"]},
    "run.healed": lambda event: {"healed": {"steps": event["steps"], "blobs": event["blobs"]}},
    "run.finished": lambda event: {"status": event["status"], "finished": event["at"]},
}


class Digested(TypedDict):
    """The digest of an output, whether it was recorded or is expected."""

    sha256: str


class RecordedOutput(Digested):
    """An output of a run: its digest and size, and the step and output it comes from."""

    size: int
    step: str
    output: str


class StepCounts(TypedDict):
    """Numbers of steps by how they ended."""

    total: int
    executed: int
    cached: int
    failed: int


class ImportedSteps(TypedDict):
    """The steps that took the imported answers of one model from one source."""

    model: str
    source: str
    steps: list[str]


class RecordBody(TypedDict, total=False):
    """The document `record/1`, for the type checker: what `summarise` computes from a journal."""

    type: str
    head: str
    events: int
    # of run.started
    run: str
    manifest: str
    lock: str
    plan: str
    engine: str
    isolation: str
    image: str
    environment: str
    facts: Mapping[str, Any]
    limit: int
    data: Mapping[str, FileCoverage]
    sandbox: Sandbox
    asked: Mapping[str, str]  # which agent's principal asked for the run, and under which key
    started: str
    # of the other lines
    calls: Mapping[str, ModelCalls]
    healed: Mapping[str, int]  # numbers of damaged `steps` and `blobs` that the run replaced
    imported: list[ImportedSteps]
    trials: list[str]
    steps: StepCounts
    sees_gold: list[str]
    outputs: Mapping[str, RecordedOutput]
    status: str
    finished: str
    ended: Mapping[str, int]  # steps that failed, by how they ended
    placement: Mapping[str, Any]  # where steps were executed, if not in one process
    workers: Mapping[str, Mapping[str, Any]]  # of a cluster


@dataclass(frozen=True)
class Record:
    """A run that ended, whether done, failed or interrupted, as its record describes it."""

    run: str
    body: RecordBody

    @property
    def outputs(self) -> Mapping[str, RecordedOutput]:
        """The outputs that the run made, by name: digest, size, and the step and output they come from."""
        return self.body["outputs"]

    @property
    def complete(self) -> bool:
        """Whether the run finished every step that it planned."""
        return self.body["status"] == "done"


def summarise_journal(events: Iterable[Event], head: str) -> RecordBody:
    """Return the body of a record, computed from the events and the head of a journal; audits repeat this."""
    body: dict[str, Any] = {"type": "record/1", "status": "incomplete", "head": head, "events": 0}
    steps = {"total": 0, "executed": 0, "cached": 0, "failed": 0}
    shown: list[str] = []
    trials: list[str] = []  # steps in which untrusted code ran
    outputs: dict[str, RecordedOutput] = {}
    ended: Counter[str] = Counter()  # steps that failed, by how they ended
    workers: dict[str, dict[str, Any]] = {}  # of a cluster
    imported: dict[tuple[str, str], list[str]] = {}  # by model and source of imported answers: the steps
    for event in events:
        body["events"] += 1
        name = event["event"]
        if name == "run.started":
            begun: Mapping[str, Any] = event
            body |= {field: begun[field] for field in STARTED if field in begun}
            body["started"] = event["at"]
            steps["total"] = event["steps"]
        elif name in STATES:
            steps[STATES[name]] += 1
            ended.update([event["ended"]] if "ended" in event else [])
            _note_worker(workers, event)
            if event.get("sees_gold"):
                shown.append(event["step"])
            if event.get("trial"):
                trials.append(event["step"])
            if (told := event.get("imported")) and {"model", "source"} <= told.keys():
                imported.setdefault((str(told["model"]), str(told["source"])), []).append(event["step"])
        elif name == "output":
            outputs[event["name"]] = {
                "sha256": event["sha256"],
                "size": event["size"],
                "step": event["step"],
                "output": event["output"],
            }
        elif name in WORKERS:
            _note_worker(workers, event)
        elif name in TOLD:
            body |= TOLD[name](event)
    body |= {"ended": dict(ended)} if ended else {}
    body |= {"workers": workers} if workers else {}
    if imported:
        body["imported"] = [
            {"model": model, "source": source, "steps": sorted(names)}
            for (model, source), names in sorted(imported.items())
        ]
    if trials:
        body["trials"] = sorted(trials)
    return cast(RecordBody, {**body, "steps": steps, "sees_gold": sorted(shown), "outputs": outputs})


def _note_worker(workers: dict[str, dict[str, Any]], event: Event) -> None:
    """Add what a line says of a worker of a cluster: that it came or was refused, or that it executed a step."""
    if "worker" in event:
        known = workers.setdefault(str(event["worker"]), {"steps": 0})
        said: Mapping[str, Any] = event
        known |= {field: said[field] for field in WORKERS.get(event["event"], ())}
        known["steps"] += event["event"] in STATES


def spell_healed(healed: Mapping[str, int]) -> str:
    """Return the text on the damage that a run found and repaired in its store; empty for no damage."""
    kinds = (("step", healed.get("steps", 0)), ("blob", healed.get("blobs", 0)))
    met = [f"{many} damaged {what}{'s' * (many != 1)}" for what, many in kinds if many]
    return f"met {' and '.join(met)} in its store, made anew" if met else ""


def spell_record(body: RecordBody) -> bytes:
    """Return the bytes of a record's file."""
    return encode_document(body) + b"\n"


def read_record(store: Store, run: str, runs: Mapping[str, Listed] | None = None) -> Record:
    """Read the record of a run that ended, verified from the list of runs down to the digests of its outputs.

    The list of runs confirms journal and record, the journal confirms the entries, and an entry the outputs. The bytes
    of a blob are checked only when it is delivered. Raises an error for a run that has not ended, and for any
    disagreement.
    """
    known = require_listed(store, run, runs)
    if not known.ended:
        if _in_use(store):
            raise InputError("this run has not ended yet", where=run, next="wait for it, or name another run")
        raise InputError("this run never ended", where=run, next="run its manifest again, then ask for `last`")
    return verified_record(store, known, follow_journal(store, known), lambda event: entry_of_event(store, event, run))


def verified_record(store: Store, known: Listed, chain: Chain[Event], entry: Callable[[Event], Entry]) -> Record:
    """Return the record of a listed run; raises an error if it does not sum up its journal or its outputs differ."""
    run = known.run
    body = summarise_journal(chain.events, chain.head)
    if read_record_bytes(store, known) != spell_record(body):
        raise listing_error("the record of this run is not what its journal says", str(store.record(run)), run)
    finished = {event["step"]: event for event in chain.events if event["event"] in FINISHED}
    for name, output in body["outputs"].items():
        event = finished.get(output["step"])
        made = entry(event).outputs.get(output["output"]) if event else None
        if made is None or (made.sha256, made.size) != (output["sha256"], output["size"]):
            raise listing_error(f"output {name} is not what its step made", str(store.journal(run)), run)
    return Record(run, body)


def entry_of_event(store: Store, event: Event, run: str) -> Entry:
    """Return the entry that a journal event names; raises an error if it is missing or not the one that the run saw."""
    entry = store.entries.get(str(event["key"]))
    if entry is None or entry.digest != event["entry"]:
        state = "missing" if entry is None else "not the one that the run saw"
        raise listing_error(f"the entry of step {event['step']} is {state}", str(store.entries.path(event["key"])), run)
    return entry


def find_run(path: Path, usual: Callable[[], Store]) -> tuple[Store, str] | None:
    """Return the store and the id of the run that a path names: its folder, a file in it, or a copy of its record.

    None if the path is none of these. A copy must equal, byte for byte, the record that the usual store has of that
    run; otherwise an error is raised.
    """
    there = path.resolve()
    folder = there if there.is_dir() else there.parent
    root = folder.parent.parent
    if folder.parent == Store(root).runs and Store(root).tree.is_file("format") and there.name in (folder.name, *FILES):
        return Store.open(root), folder.name
    if there.is_dir():
        return None
    data = read_plain(path) if path.stat().st_size <= MOST_RECORD else b""
    try:
        run = str(parse_document(data, "record/1", str(path))["run"])
    except (InputError, LookupError):
        return None
    store = usual()
    if run not in store.run_ids():
        raise InputError(f"run {run[:80]!r} of this record is not in the store", where=str(path), next="--store DIR")
    if store.tree.find_file(store.record(run), MOST_RECORD) != data:
        raise listing_error(f"this record is not the one that run {run} has in the store", str(path), run)
    return store, run


def _in_use(store: Store) -> bool:
    """Whether a run is using the store, because the lock that keeps `gc` away is taken."""
    path = store.locks / "store"
    if not os.access(path, os.R_OK | os.W_OK):
        return False  # no runs here, or the store of another user; reading needs no write permission
    with store.lock("store", wait=False) as alone:
        return not alone


OUTPUT = "checks"
PASS, FAIL = "pass", "fail"
MOST = 1 << 26  # most bytes of such a document


def self_check(outputs: Mapping[str, Digested], deliver: Callable[[str], Path]) -> str:
    """Return the verdict in a run's output `checks`, `pass` or `fail`; "" if the run has no such output.

    Raises InputError for a document that is not JSON, is larger than MOST bytes or has another verdict.
    """
    if OUTPUT not in outputs:
        return ""
    path = deliver(outputs[OUTPUT]["sha256"])
    try:
        body = json.loads(path.read_bytes()) if path.stat().st_size <= MOST else None
    except (ValueError, RecursionError):
        body = None
    verdict = body.get("verdict") if isinstance(body, dict) else None
    if verdict not in (PASS, FAIL):
        raise InputError(
            "the output `checks` is no document with `verdict: pass` or `verdict: fail`",
            where=str(path),
            next="a study writes its self-checks so, or gives that output another name",
        )
    return str(verdict)


LATE = "stands behind a run that began later: the clock was set back, or the list put in another order:"
MOMENT = 1  # seconds within which two runs may begin and be listed in any order
TIME_STAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
DAY = 24 * 60 * 60  # seconds by which two clocks may differ, and that a start may take


def contradicting_times(chain: Chain[TimedLine], name: str) -> Iterator[str]:
    """Yield the impossible times of a journal or transcript, the first of each kind.

    A log begins when its id was made, or shortly after. The run of an attempt has the attempt's id, and may begin at
    any later time. The clocks of older runs may have been set back while they ran.
    """
    begun = str(chain.events[0]["at"])
    if stamped := id_time(name):
        scored = chain.events[0]["event"] == "run.started" and ATTEMPT_ID.fullmatch(attempt_of_run(name)) is not None
        if begun < stamped and not scored:
            yield f"it begins at {begun[:40]}, before its id was made"
        elif begun > time_after(stamped, DAY) and not scored:
            yield f"it begins at {begun[:40]}, more than a day after its id was made"
    until = time_after(current_time(), DAY)
    late = next((event for event in chain.events if str(event["at"]) > until), None)
    if late:
        yield f"line {late['n'] + 1} is of {late['at'][:40]}, which is in the future"
    back = next((two for one, two in pairwise(chain.events) if _one_clock(chain, two) and two["at"] < one["at"]), None)
    if back:
        yield f"line {back['n'] + 1} is older than the line before it"


def _one_clock(chain: Chain[TimedLine], event: TimedLine) -> bool:
    """Whether the line before this one was written by the same process, whose clock only goes forward."""
    begun = chain.events[0]
    if begun["event"] == "run.started":
        return bool(begun.get("clock") == MONOTONE)
    return event["event"] != "reopened" and int(event["n"]) > 1  # another process writes line 1


def runs_listed_late(store: Store, heads: Chain[HeadEvent]) -> Iterator[tuple[str, str]]:
    """Yield the runs that are listed after one that began later, each with that one.

    Either the clock was set back between them, or the list was reordered, so the last run is not certain. Two runs that
    began within MOMENT seconds may be in either order.
    """
    latest, before = "", ""
    for known in gather_listed_runs(heads).values():
        begun = read_start(store, known)
        at = str(begun["at"]) if begun else ""
        if not _is_time(at):
            continue  # another check reports it
        if latest and at < time_after(latest, -MOMENT):
            yield known.run, before
        elif at > latest:
            latest, before = at, known.run


def _is_time(text: str) -> bool:
    try:
        return bool(TIME_STAMP.fullmatch(text) and datetime.datetime.fromisoformat(text))
    except ValueError:
        return False


def id_time(name: str) -> str:
    """Return the time in the id of a run or attempt as events spell it; empty if there is none."""
    try:
        made = datetime.datetime.strptime(name[:16], "%Y%m%dT%H%M%SZ")
    except ValueError:
        return ""
    return made.isoformat(timespec="milliseconds") + "Z"
