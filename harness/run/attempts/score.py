"""Scoring of a closed attempt, and verification of transcripts.

A run is derived from the attempt's answers and made, and its scores are told in six digits; who may be told is decided
elsewhere. A transcript is read as it lies, open or closed, and nothing is changed: chain, list of runs, budget, counts,
manifest, and the reads made again from the view. Heads that an agent kept are held against the chain: whoever rewrote
it since cannot have known them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from harness import rows
from harness.attempts.codes import AttemptError, nearest, shown
from harness.attempts.reads import ViewReader
from harness.attempts.replay import replay
from harness.attempts.transcript import AttemptState, answer_digest, fold, item_id, item_key
from harness.digest import document, sha256
from harness.errors import DamageError, HarnessError, InputError
from harness.evidence.audit.answers import budget_flaws, canary_hits
from harness.evidence.record import Record, read_record
from harness.kit.score_lines import ScoreLine
from harness.manifest.attempt_manifest import AttemptAnswered, asked_part, derive_manifest
from harness.manifest.load import Loaded, ModelFolders, parse_manifest
from harness.manifest.lockfile import Lock, read_lock
from harness.rowtypes import Prompt, Score
from harness.run.attempts.hidden_splits import attempt_shows_hidden
from harness.run.attempts.view import read_view
from harness.run.closure import code_root
from harness.run.executing.runner import Runner
from harness.run.executing.workshop import Workshop
from harness.run.lock import changed_pins
from harness.run.locking.models import MODELS, every_model, pin_model
from harness.run.planning.plan import check_manifest, plan, possible_outputs
from harness.run.planning.preconditions import require_runnable
from harness.run.progress import Progress
from harness.run.scores.table import ScoreTable, score_table
from harness.run.service import RunTarget
from harness.steps import Plan, Step
from harness.store.attempts import (
    CLOSED,
    TRANSCRIPT,
    follow_transcript,
    listed_attempts,
    read_transcript,
    transcript_flaws,
    transcript_path,
)
from harness.store.journal import START, Chain, Event
from harness.store.reader import MOST_LOG
from harness.store.store import Listed, Store, listed
from harness.studies.registry import find

DIGITS = 6  # significant ones


def agent_scores(table: ScoreTable) -> dict[str, Any]:
    """Return the main metrics and those that the study explains, by `DATASET/SCORER[/METRIC]`.

    A metric without a value says why; `at_worst` stands beside a value that leaves answers out.
    """
    return {line.name: _line(line) for line in table.told()}


def agent_meaning(table: ScoreTable) -> dict[str, Any]:
    """Return what the study says of the metrics that an agent is told, by `SCORER[/METRIC]`."""
    told = {line.measure for line in table.told()}
    return {name: said.document() for name, said in sorted(table.meanings.items()) if name in told}


def _line(line: ScoreLine) -> dict[str, Any]:
    found: dict[str, Any] = {"n": line.n, "errors": line.errors, "unanswered": line.unanswered}
    if line.value is None:
        return {**found, "reason": line.interval.why}
    found["value"] = rounded(line.value)
    if line.interval.ends:
        found["ci95"] = [rounded(end) for end in line.interval.ends]
    if line.at_worst is not None:
        found["at_worst"] = rounded(line.at_worst)
    return found


def rounded(value: float) -> float:
    """Round a number to six significant digits."""
    return float(f"{value:.{DIGITS}g}")


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
            where=name,
            next="go back to the lock that it names, then `harness attempts finish` it",
        )
    planned = plan(check_manifest(loaded), lock, derived.limit)
    workshop = place.workshop(loaded)
    require_runnable(loaded, planned, workshop.engine, workshop.box.engine)
    runner = Runner(loaded, lock, planned, workshop, limit=derived.limit, jobs=place.jobs, beside=place.beside)
    runner.name = name
    return runner.run(progress)


PROMPTS, SCORES = "prompts", "scores"
MOVES = "harness.rows:"  # kinds of steps that only move rows
LATER = "a judge model or a program would have to run, which is done when the attempt is scored"


def score_text(
    place: RunTarget, root: Path, request: Mapping[str, Any], homes: ModelFolders | None = None
) -> dict[str, Any]:
    """Score a text for an item by a metric; AttemptError for a hidden split, and what is unknown."""
    store, attempt = Store.make(place.store), str(request["attempt_id"])
    start = follow_transcript(store, attempt).events[0]
    if start["hidden"] or attempt_shows_hidden(store, start):
        raise AttemptError("E_HIDDEN_SPLIT", "texts are not scored for items of a hidden split")
    with store.in_use():
        transcript = store.blobs.put(one_answer(start, str(request["item_id"]), str(request["prediction"])))
        derived = derive_run(store, root, start, transcript, homes)
        planned = plan(check_manifest(derived.loaded), derived.lock, derived.limit)
        for name in planned.pinned.values():
            store.blobs.put((code_root() / name).read_bytes())
        scorer = TextScorer(derived, planned, place.workshop(derived.loaded, gpus=False))
        return scorer.score(start, str(request["item_id"]), str(request["metric"]))


def one_answer(start: Event, item: str, text: str) -> bytes:
    """Write a transcript that holds one answer and nothing else, as the steps read it."""
    receipt = {"item_id": item, "status": "recorded", "answer_sha256": answer_digest(text, False, None), "record": 1}
    args = {"answers": [{"item_id": item, "answer": text, "abstain": False}]}
    bodies = [
        dict(start),
        {"type": TRANSCRIPT, "event": "call", "tool": "submit_answers", "args": args, "receipts": [receipt]},
        {"type": TRANSCRIPT, "event": "attempt.closed"},
    ]
    data, head = b"", START
    for number, body in enumerate(bodies):
        line = document({**body, "n": number, "prev": head}) + b"\n"
        data, head = data + line, sha256(line)
    return data


class TextScorer:
    """The steps of one derived plan, made as far as the scores of one item need them."""

    def __init__(self, derived: DerivedRun, planned: Plan, workshop: Workshop) -> None:
        self.derived, self.workshop = derived, workshop
        self.steps = {step.name: step for step in planned.steps}
        self.made: dict[tuple[str, str], str] = {}

    def score(self, start: Event, item: str, metric: str) -> dict[str, Any]:
        """Make the scores of an item and give the one of this metric."""
        prompt, source = self._asked(bytes.fromhex(start["secret"]), item)
        study = find(self.derived.loaded.manifest.study)
        wanted = (prompt["item"], prompt["template"], 0, next(iter(self.derived.loaded.manifest.models)))
        found: dict[str, dict[str, Any]] = {}
        later = False
        for step in self._scoring(source):
            if self._calls(step):
                later = True
                continue
            code = self._make(step)
            for row in self._rows(step, SCORES, Score):
                if (row["item"], row["template"], row["sample"], row["model"]) == wanted:
                    for name, value in study.read_score(row).items():
                        full = row["scorer"] + (f"/{name}" if name else "")
                        if not name or full in study.meanings:  # others may count what the right answer holds
                            found[full] = {"metric": full, **_value(value), "scorer_sha256": code}
        if metric in found:
            return found[metric]
        advice = nearest(metric, found) or (f"This item has: {', '.join(sorted(found))}." if found else "")
        what = f"no metric {shown(metric)} scores this item"
        raise AttemptError("E_METRIC_NOT_FOR_STUDY", f"{what}; {LATER}" if later else what, advice)

    def _asked(self, secret: bytes, item: str) -> tuple[Prompt, Step]:
        """Find the prompt of an item's id, and the step that wrote it."""
        for step in list(self.steps.values()):
            if step.stage == PROMPTS and step.outputs == (PROMPTS,) and not step.kind.startswith(MOVES):
                self._make(step)
                for row in self._rows(step, PROMPTS, Prompt):
                    if item_id(secret, item_key(row["item"], row["template"])) == item:
                        return row, step
        raise AttemptError("E_UNKNOWN_ITEM", "this attempt has no such item")

    def _scoring(self, source: Step) -> Iterator[Step]:
        """List the steps that score the answers to what a step asked."""
        after = {source.name}
        for step in self.steps.values():
            if any(ref.step in after for ref in step.refs()) and step.stage != "analyses":
                after.add(step.name)
                if step.stage == SCORES and SCORES in step.outputs and not step.kind.startswith(MOVES):
                    yield step

    def _calls(self, step: Step) -> bool:
        """Whether a step, or one before it, asks a model elsewhere or runs foreign code."""
        return step.calls or step.trial or step.infers or any(self._calls(self.steps[ref.step]) for ref in step.refs())

    def _make(self, step: Step) -> str:
        """Make a step and those before it; gives the digest of its code."""
        for ref in step.refs():
            if (ref.step, ref.output) not in self.made:
                self._make(self.steps[ref.step])
        entry = self.workshop.make(step, parts := self.workshop.preimage(step, self.made)).entry
        self.made |= {(step.name, output): one.sha256 for output, one in entry.outputs.items()}
        return str(parts["code"])

    def _rows(self, step: Step, output: str, kind: type[Any]) -> Iterator[Any]:
        return rows.read(self.workshop.store.blobs.deliver(self.made[step.name, output]), kind)


def _value(value: Any) -> dict[str, Any]:
    """Tell a score as a number, or why there is none."""
    if isinstance(value, Mapping):
        return {"reason": str(value.get("missing", "there is no value"))}
    if isinstance(value, bool) or not isinstance(value, int | float):
        return {"reason": "there is no value"}
    return {"value": rounded(value)}


AGREED, DISAGREED, INCOMPLETE = "agreed", "disagreed", "incomplete"


@dataclass
class VerifiedTranscript:
    """What a verification found. `first_bad` is the number of the first record that is not as it was written."""

    attempt: str
    status: str
    records: int
    head: str
    torn: str = ""
    first_bad: int | None = None
    flaws: list[str] = field(default_factory=list)
    budget_ok: bool = True
    manifest_match: bool = True
    canary_hits: int = 0
    reads: int = 0  # that were made again
    differing: tuple[int, ...] = ()  # the records of reads that gave something else
    unread: str = ""  # why no read was made again
    header: dict[str, Any] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """`disagreed` where anything is wrong, `incomplete` where the end is torn or reads could not be made again."""
        if self.flaws or self.differing or not self.budget_ok or not self.manifest_match:
            return DISAGREED
        return INCOMPLETE if self.torn or self.unread else AGREED


def verify_transcript(store: Store, attempt: str, heads: Sequence[str] = ()) -> VerifiedTranscript:
    """Verify the transcript of an attempt; InputError where there is none of this id."""
    chain = read_transcript(store, attempt)
    found = VerifiedTranscript(attempt, "broken", len(chain.events), chain.head, chain.torn)
    known = listed_attempts(store.heads.read()).get(attempt)
    found.flaws += transcript_flaws(chain, known)
    found.flaws += [f"no record has the head {head[:64]}" for head in heads if head not in chain.lines]
    if chain.broken or not chain.events:
        found.first_bad = len(chain.events)
        return found
    begun = chain.events[0]
    try:
        state = fold(chain.events)
    except DamageError as bad:
        found.flaws.append(bad.what)
        found.first_bad = 0
        return found
    found.header = {name: begun[name] for name in ("name", "split", "hidden", "gold_reachable", "principal", "label")}
    found.status = attempt_outcome(store, attempt).status
    found.flaws += state.flaws
    late = list(budget_flaws(chain))
    found.budget_ok = not late
    found.flaws += late
    found.canary_hits = canary_hits(state)
    found.manifest_match = _matches(store, begun, found.flaws)
    _replay(store, chain, state, found)
    return found


def _matches(store: Store, begun: Event, flaws: list[str]) -> bool:
    """Whether manifest and lock that the transcript names are in the store, and belong together."""
    try:
        manifest = parse_manifest(store.blobs.read(begun["manifest"]), "manifest")[0]
        lock = read_lock(store.blobs.read(begun["lock"]), "lock")
    except HarnessError as bad:
        flaws.append(bad.what)
        return False
    if same := (lock.manifest_sha256, manifest.name) == (begun["manifest"], begun["name"]):
        return same
    flaws.append("the lock or the name that the transcript names is not that of its manifest")
    return False


def _replay(store: Store, chain: Chain, state: AttemptState, found: VerifiedTranscript) -> None:
    """Make the reads of a transcript again, from the view that it names."""
    try:
        view = read_view(store, str(state.header["view"]))
        if view is None or (view.media, dict(view.control)) != (state.header["media"], dict(state.header["canary"])):
            raise InputError("the view is not the one that the transcript names")
        handles = [os.open(path, os.O_RDONLY | os.O_CLOEXEC) for path in (view.items_file, view.media_file)]
    except (HarnessError, OSError) as bad:
        found.unread = getattr(bad, "what", "") or "the view cannot be read"
        return
    reader = ViewReader(*handles)
    try:
        again = replay(chain.events, reader)
        known = {item_id(state.secret, key) for key in reader.places}
    finally:
        reader.close()
    found.reads, found.differing = again.reads, again.differing
    strange = [answer.record for name, answer in state.answers.items() if name not in known]
    found.flaws += [f"record {record} answers an item that the view does not have" for record in strange]
    if state.header["items"] != view.items:
        found.flaws.append("the transcript counts other items than the view has")
