"""Scoring of attempts: a closed transcript becomes a blob, and a run of the derived manifest scores its answers.

The run bears the attempt's name; one that a kill cut short stays as it is, and the next try has a number behind the
name. It is made by the study's ordinary steps, each in an isolation of its own. It never looks at an answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from harness.digest import sha256
from harness.errors import DamageError, InputError
from harness.evidence.record import Record, read_record
from harness.manifest.attempt_manifest import AttemptAnswered, asked_part, derive_manifest
from harness.manifest.load import Loaded, ModelFolders, parse_manifest
from harness.manifest.lockfile import Lock, read_lock
from harness.run.lock import changed_pins
from harness.run.model_pins import pin_model
from harness.run.named_models import MODELS, every_model
from harness.run.plan import check_manifest, plan, possible_outputs
from harness.run.preconditions import require_runnable
from harness.run.progress import Progress
from harness.run.runner import Runner
from harness.run.score_table import ScoreTable, score_table
from harness.run.service import RunTarget
from harness.store.attempts import CLOSED, follow_transcript, listed_attempts, read_transcript, transcript_path
from harness.store.journal import Chain, Event
from harness.store.limits import MOST_LOG
from harness.store.listed import Listed, listed
from harness.store.store import Store

INTERRUPTED = "interrupted"  # of a run's record: somebody stopped it, and nothing failed
OPEN, WAITING, SCORING, SCORED, SEALED, FAILED = "open", "closed", "scoring", "scored", "sealed", "failed"


@dataclass(frozen=True)
class AttemptOutcome:
    """How far an attempt is: open, closed, scoring, scored, sealed (scored, and hidden) or failed; and by which run."""

    attempt: str
    status: str
    hidden: bool = False
    run: str = ""  # that scored it, or tried last
    record: str = ""  # the digest of its record
    why: str = ""  # of a failure: for operators, never for agents


@dataclass(frozen=True)
class DerivedRun:
    """What the run of an attempt is made of: manifest and lock, derived from the benchmark's own, and its limit."""

    loaded: Loaded
    lock: Lock
    limit: int


def attempt_outcome(store: Store, attempt: str) -> AttemptOutcome:
    """Say how far an attempt is, from its transcript, the list of runs and the lock that scoring holds."""
    chain = read_transcript(store, attempt)
    hidden = bool(chain.events and chain.events[0]["hidden"])
    if not chain.events or chain.events[-1]["event"] != CLOSED:
        return AttemptOutcome(attempt, OPEN, hidden)
    with _scoring(store, attempt, wait=False) as mine:
        return _outcome(store, attempt, hidden) if mine else AttemptOutcome(attempt, SCORING, hidden)


def scoring_runs(store: Store, attempt: str) -> list[Listed]:
    """List the runs that scored an attempt, or tried to, the newest last."""
    return [known for run, known in listed(store).items() if run == attempt or run.startswith(f"{attempt}.")]


def _outcome(store: Store, attempt: str, hidden: bool) -> AttemptOutcome:
    tried = scoring_runs(store, attempt)
    for known in tried:
        if known.ended and (record := read_record(store, known.run)).complete:
            return _made(record, known.record, attempt, hidden)
    if not tried or not tried[-1].ended or read_record(store, tried[-1].run).body["status"] == INTERRUPTED:
        return AttemptOutcome(attempt, WAITING, hidden)
    why = [event["error"] for event in store.read_journal(tried[-1].run).events if event["event"] == "step.failed"]
    return AttemptOutcome(attempt, FAILED, hidden, tried[-1].run, tried[-1].record, why[0] if why else "it was stopped")


def _made(record: Record, digest: str, attempt: str, hidden: bool) -> AttemptOutcome:
    return AttemptOutcome(attempt, SEALED if hidden else SCORED, hidden, record.run, digest)


@contextmanager
def _scoring(store: Store, attempt: str, *, wait: bool) -> Iterator[bool]:
    """Hold the lock by which one process at a time scores an attempt."""
    transcript_path(store, attempt)  # which refuses a text that is no id
    with store.lock(f"score-{attempt}", wait=wait) as mine:
        yield mine


def score_attempt(
    root: Path,
    place: RunTarget,
    attempt: str,
    *,
    homes: ModelFolders | None = None,
    again: bool = False,
    progress: Progress = lambda _step, _state, _done, _total: None,
) -> AttemptOutcome:
    """Score a closed attempt, unless that was done: write the head of its end, derive its run, and execute it.

    One whose scoring failed is tried once more only where `again` says so. The first failure is raised, and the run
    is recorded all the same.
    """
    store = Store.make(place.store)
    with _scoring(store, attempt, wait=True):
        chain = follow_transcript(store, attempt)
        if chain.events[-1]["event"] != CLOSED or chain.torn:
            raise InputError("this attempt is still open", where=attempt, next="finish or abandon it first")
        had = _outcome(store, attempt, chain.events[0]["hidden"])
        if had.status in (SCORED, SEALED) or (had.status == FAILED and not again):
            return had
        with store.in_use():  # until the run names it, nobody else would keep the blob
            transcript = _keep(store, attempt, chain)
            derived = derive_run(store, root, chain.events[0], transcript, homes)
            record = _run(derived, place, _name(store, attempt), progress)
        return _made(record, listed(store)[record.run].record, attempt, had.hidden)


def _keep(store: Store, attempt: str, chain: Chain) -> str:
    """Put the transcript into the store as a blob, and its end on the list of runs, where that lacks it."""
    data = store.tree.read_file(transcript_path(store, attempt), MOST_LOG)
    digest = store.blobs.put(data)
    if not data.endswith(b"\n") or sha256(data[data.rfind(b"\n", 0, -1) + 1 :]) != chain.head:
        raise DamageError("the transcript changed while it was read", where=attempt, next="score it again")
    note_end(store, attempt, chain.head)
    return digest


def note_end(store: Store, attempt: str, head: str) -> None:
    """Write the end of an attempt into the list of runs, where that lacks it."""
    known = listed_attempts(store.heads.read()).get(attempt)
    if known and not known.closed:
        store.heads.add(CLOSED, {"run": attempt, "journal": head})


def _name(store: Store, attempt: str) -> str:
    """Name the next run of an attempt: as the attempt, or with a number behind it where that one was cut short."""
    number, name = 1, attempt
    while store.has_journal(name):
        number += 1
        name = f"{attempt}.{number}"
    return name


def answered(start: Event, transcript: str) -> AttemptAnswered:
    """Take from a transcript's first line what the derived manifest names."""
    return AttemptAnswered(start["attempt"], start["label"], start["split"], start["subset"], transcript)


def attempt_table(store: Store, run: str) -> ScoreTable:
    """Read the scores of an attempt's run: those of the agent, not of what a study measures beside every model."""
    table = score_table(store, run)
    models = read_lock(store.blobs.read(str(read_record(store, run).body["lock"])), "lock").of(MODELS)
    return replace(table, lines=tuple(line for line in table.lines if line.model in models))


def derive_run(
    store: Store, root: Path, start: Event, transcript: str, homes: ModelFolders | None = None
) -> DerivedRun:
    """Derive manifest and lock of an attempt's run from those that its transcript names."""
    base, tree = parse_manifest(store.blobs.read(start["manifest"]), "the manifest of this attempt")
    held = read_lock(store.blobs.read(start["lock"]), "the lock of this attempt")
    if held.manifest_sha256 != start["manifest"]:
        raise DamageError("the lock of this attempt is not that of its manifest", next="start another attempt")
    said = answered(start, transcript)
    whole = _loaded(derive_manifest(base, tree, said, ()), root, homes)
    loaded = _loaded(derive_manifest(base, tree, said, possible_outputs(whole)), root, homes)
    manifest = loaded.manifest
    pins = {
        **held.pins,
        MODELS: {named.name: pin_model(loaded, named) for named in every_model(manifest) if named.part == MODELS},
        "datasets": {name: held.pins["datasets"][name] for name in manifest.datasets},
    }
    lock = replace(held, intent=manifest.intent(), manifest_sha256=loaded.sha256, pins=pins)
    return DerivedRun(loaded, lock, asked_part(base, said.split, said.subset).items)


def _loaded(data: bytes, root: Path, homes: ModelFolders | None) -> Loaded:
    manifest, tree = parse_manifest(data, "the manifest of this attempt's run")
    return Loaded(manifest, data, tree, root / "manifests" / manifest.name, root, homes or ModelFolders())


def _run(derived: DerivedRun, place: RunTarget, name: str, progress: Progress) -> Record:
    loaded, lock = derived.loaded, derived.lock
    if moved := changed_pins(loaded, lock):
        raise InputError(
            f"the project is no longer what this attempt was started under; moved: {', '.join(moved[:8])}",
            where=name, next="go back to the lock that it names, then `harness attempts finish` it",
        )  # fmt: skip
    planned = plan(check_manifest(loaded), lock, derived.limit)
    workshop = place.workshop(loaded)
    require_runnable(loaded, planned, workshop.engine, workshop.box.engine)
    runner = Runner(loaded, lock, planned, workshop, limit=derived.limit, jobs=place.jobs, beside=place.beside)
    runner.name = name
    return runner.run(progress)
