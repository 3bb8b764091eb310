"""Scoring of a closed attempt, and verification of transcripts.

A run is derived from the attempt's answers and executed, and its scores are reported in six digits. Another module
decides who may see them. Verification reads a transcript, open or closed, and changes nothing. It checks the chain, the
list of runs, the budget, the counts and the manifest, and repeats the reads from the view. Heads that an agent kept are
compared with the chain, because a chain that was rewritten later has other heads.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal, NotRequired, TypedDict

from harness import rows
from harness.attempts import shapes
from harness.attempts.codes import AttemptError, printable_text, suggest_name
from harness.attempts.desk import SCORE
from harness.attempts.reads import Listing, ViewReader
from harness.attempts.transcript import AttemptState, answer_digest, answer_text, fold_events, item_id, item_key
from harness.digest import encode_document, sha256
from harness.errors import DamageError, HarnessError, InputError
from harness.evidence.audit.answers import budget_flaws, canary_hits
from harness.evidence.record import Record, read_record
from harness.kit.meaning import MeaningRow
from harness.kit.score_lines import ScoreLine
from harness.manifest.documents import Pins
from harness.manifest.load import (
    AttemptAnswered,
    LoadedManifest,
    ModelFolders,
    asked_part,
    derive_manifest,
    parse_manifest,
)
from harness.manifest.lockfile import Lock, read_lock
from harness.manifest.read import Tree
from harness.manifest.schema import Manifest
from harness.rowtypes import Prompt, Score
from harness.run.attempts.hidden_splits import attempt_shows_hidden
from harness.run.attempts.view import read_view
from harness.run.closure import code_root
from harness.run.engines import require_runnable
from harness.run.executing.runner import Runner
from harness.run.executing.workshop import Workshop
from harness.run.lock import changed_pins
from harness.run.locking.models import MODELS, every_model, pin_model
from harness.run.planning.plan import check_parts, make_plan, possible_outputs
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
from harness.store.journal import START, AttemptEvent, AttemptFields, Chain
from harness.store.store import Listed, Store, list_runs
from harness.store.tree import MOST_LOG
from harness.studies.registry import find

LIST, READ = "list_items", "get_item"


class CallForm(TypedDict):
    """A call in the normal form of a transcript, with the arguments that concern no single item."""

    tool: str
    is_error: bool
    code: str
    limit: NotRequired[int]
    status: NotRequired[str]
    cursor: NotRequired[str]  # the name of an item
    answers: NotRequired[int]  # how many


class ActionForm(TypedDict, total=False):
    """An action on an item in the normal form of a transcript: a read, a score of a text, or an answer."""

    part: int
    metric: str
    prediction: str
    answer: str | Mapping[str, object]
    abstain: bool
    confidence: float
    status: str
    code: str


class NormalForm(TypedDict):
    """A transcript without times, ids and digests: it is equal for two agents that did the same."""

    header: AttemptFields
    calls: list[CallForm]
    items: dict[str, list[ActionForm]]  # by key
    end: AttemptFields | None


def normal_form(events: Iterable[AttemptEvent], keys: Iterable[str]) -> NormalForm:
    """Return the normal form of a transcript over the keys of its view: `header`, `calls`, `items`, `end`.

    `calls` are in their order, without the reads of items, whose number depends on the length of documents.
    `items` has by key the actions on each item, in their order.
    """
    first, *rest = events
    names = _Names(first, keys)
    calls: list[CallForm] = []
    items: dict[str, list[ActionForm]] = {}
    end: AttemptFields | None = None
    for event in rest:
        if event["event"] == "attempt.closed":
            end = {
                "reason": event["reason"],
                "answered": event["answered"],
                "abstained": event["abstained"],
                "missing": event["missing"],
            }
        elif event["event"] == "call":
            if event["is_error"] or event["tool"] not in (READ, SCORE):
                calls.append(_general(event, names))
            for name, done in _special(event):
                items.setdefault(names.of(name), []).append(done)
    return {"header": _header(first), "calls": calls, "items": dict(sorted(items.items())), "end": end}


def _header(first: AttemptEvent) -> AttemptFields:
    """Return the fields of a transcript's first line that two attempts of one agent have alike."""
    return {
        "manifest": first["manifest"],
        "name": first["name"],
        "study": first["study"],
        "lock": first["lock"],
        "split": first["split"],
        "subset": first["subset"],
        "hidden": first["hidden"],
        "label": first["label"],
        "budget": first["budget"],
        "items": first["items"],
        "tools": first["tools"],
    }


class _Names:
    """Names for the ids of one attempt: the key of an item, else a number in order of appearance."""

    def __init__(self, first: AttemptEvent, keys: Iterable[str]) -> None:
        state = AttemptState(first)
        self._known = {item_id(state.secret, key): f"item {key}" for key in keys}
        if state.canary:
            self._known[state.canary] = "control item"  # its key is random for each view
        self._seen: dict[str, str] = {}

    def of(self, name: str) -> str:
        if name in self._known:
            return self._known[name]
        return self._seen.setdefault(name, f"id {len(self._seen) + 1}")


def _general(event: AttemptEvent, names: _Names) -> CallForm:
    """Return a call with those of its arguments that do not concern a single item."""
    told: CallForm = {"tool": event["tool"], "is_error": event["is_error"], "code": event["code"]}
    args = {} if event["is_error"] else event["args"]
    if "limit" in args:
        told["limit"] = args["limit"]
    if "status" in args:
        told["status"] = args["status"]
    if "cursor" in args:
        told["cursor"] = names.of(args["cursor"])
    if "answers" in args:
        told["answers"] = len(args["answers"])
    return told


def _special(event: AttemptEvent) -> Iterable[tuple[str, ActionForm]]:
    """Yield the actions of a call on items: the part that was read, or the answer and its receipt."""
    args = event["args"]
    if event["is_error"]:
        return
    if event["tool"] == SCORE:
        yield args["item_id"], {"metric": args["metric"], "prediction": args["prediction"]}
    elif event["tool"] == READ:
        for name in args["item_ids"] if "item_ids" in args else [args["item_id"]]:
            yield name, {"part": args["part"]}
    for answer, receipt in zip(args.get("answers", []), event.get("receipts", []), strict=False):
        text = answer["answer"]
        done: ActionForm = {
            "answer": text if isinstance(text, dict) else answer_text(text),
            "abstain": answer["abstain"],
            "status": receipt["status"],
            "code": receipt.get("code", ""),
        }
        if "confidence" in answer:
            done["confidence"] = answer["confidence"]
        yield answer["item_id"], done


@dataclass(frozen=True)
class Replayed:
    """The result of repeating an attempt's reads: how many were repeated, and which gave another result."""

    reads: int
    differing: tuple[int, ...]


def replay_reads(events: Iterable[AttemptEvent], view: ViewReader) -> Replayed:
    """Repeat the reads of a transcript, each in the state of its time."""
    first, *rest = events
    state = AttemptState(first)
    listing = Listing(state, view)
    reads, differing = 0, []
    for event in rest:
        if event["event"] == "call" and not event["is_error"] and event["tool"] in (LIST, READ):
            reads += 1
            if event["result_sha256"] not in _again(listing, state, event):
                differing.append(event["n"])
        state.apply(event)
    return Replayed(reads, tuple(differing))


def _again(listing: Listing, state: AttemptState, event: AttemptEvent) -> tuple[str, ...]:
    """Return the digests that the result of a repeated read may have; none if it cannot be repeated.

    Results of earlier releases had other fields. Where the arguments do not tell the release, each form is an answer
    of the same items.
    """
    tool, given = event["tool"], event["args"]
    known = given if isinstance(given, Mapping) else {}
    former = "preview" not in known if tool == LIST else "item_id" in known
    try:
        args: Any = shapes.parse_arguments(
            tool, given, shapes.FormerGetItemRequest if former and tool == READ else None
        )
        args = args.model_dump(exclude_none=True)
        if tool == LIST:
            forms = [listing.former_page(state, args) if former else listing.page(state, args)]
        elif former:
            forms = [listing.former_item(state, args)]
        else:
            forms = [listing.read(state, args, whole=whole)[0] for whole in (False, True)]
    except HarnessError:  # these arguments are not valid
        return ()
    return tuple(shapes.call_digest(data) for data in forms)


DIGITS = 6  # significant ones


def agent_scores(table: ScoreTable) -> dict[str, shapes.AgentScore]:
    """Return the scores that an agent is told, by `DATASET/SCORER[/METRIC]`: main metrics, and explained ones.

    A metric without a value has a reason; a value that leaves answers out has `at_worst` beside it.
    """
    return {line.name: _line(line) for line in table.told()}


def agent_meaning(table: ScoreTable) -> dict[str, MeaningRow]:
    """Return what the study says of the metrics that an agent is told, by `SCORER[/METRIC]`."""
    told = {line.measure for line in table.told()}
    return {name: said.document() for name, said in sorted(table.meanings.items()) if name in told}


def _line(line: ScoreLine) -> shapes.AgentScore:
    found: shapes.AgentScore = {"n": line.n, "errors": line.errors, "unanswered": line.unanswered}
    if line.value is None:
        return {**found, "reason": line.interval.why}
    found["value"] = round_number(line.value)
    if line.interval.ends:
        found["ci95"] = [round_number(end) for end in line.interval.ends]
    if line.at_worst is not None:
        found["at_worst"] = round_number(line.at_worst)
    return found


def round_number(value: float) -> float:
    """Round a number to six significant digits."""
    return float(f"{value:.{DIGITS}g}")


INTERRUPTED = "interrupted"  # status of a run's record: it was stopped, and nothing failed
OPEN: Final = "open"
WAITING: Final = "closed"
SCORING: Final = "scoring"
SCORED: Final = "scored"
SEALED: Final = "sealed"
FAILED: Final = "failed"
AttemptStatus = Literal["open", "closed", "scoring", "scored", "sealed", "failed"]


@dataclass(frozen=True)
class AttemptOutcome:
    """The state of an attempt: open, closed, scoring, scored, sealed (scored, and hidden) or failed; and its run."""

    attempt: str
    status: AttemptStatus
    hidden: bool = False
    run: str = ""  # the run that scored it, or that tried last
    record: str = ""  # the digest of its record
    why: str = ""  # the reason of a failure, for operators, never for agents


@dataclass(frozen=True)
class DerivedRun:
    """Manifest and lock of an attempt's run, which are derived from those of the benchmark, and the run's limit."""

    loaded: LoadedManifest
    lock: Lock
    limit: int


def attempt_outcome(store: Store, attempt: str) -> AttemptOutcome:
    """Return the state of an attempt, from its transcript, the list of runs and the lock that scoring holds."""
    chain = read_transcript(store, attempt)
    hidden = bool(chain.events and chain.events[0]["hidden"])
    if not chain.events or chain.events[-1]["event"] != CLOSED:
        return AttemptOutcome(attempt, OPEN, hidden)
    with _scoring(store, attempt, wait=False) as mine:
        return _outcome(store, attempt, hidden) if mine else AttemptOutcome(attempt, SCORING, hidden)


def scoring_runs(store: Store, attempt: str) -> list[Listed]:
    """List the runs that scored an attempt, or tried to, the newest last."""
    return [known for run, known in list_runs(store).items() if run == attempt or run.startswith(f"{attempt}.")]


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
    """Context manager that holds the lock under which one process at a time scores an attempt.

    Yields whether the lock was taken.
    """
    transcript_path(store, attempt)  # raises an error for a text that is not an id
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
    """Score a closed attempt unless that was done: record its end, derive its run, and execute the run.

    An attempt whose scoring failed is tried once more only with `again`. The first failure is raised, but the run is
    recorded all the same.
    """
    store = Store.make(place.store)
    with _scoring(store, attempt, wait=True):
        chain = follow_transcript(store, attempt)
        if chain.events[-1]["event"] != CLOSED or chain.torn:
            raise InputError("this attempt is still open", where=attempt, next="finish or abandon it first")
        had = _outcome(store, attempt, chain.events[0]["hidden"])
        if had.status in (SCORED, SEALED) or (had.status == FAILED and not again):
            return had
        with store.in_use():  # until the run names the blob, nothing else keeps it
            transcript = _keep(store, attempt, chain)
            derived = derive_run(store, root, chain.events[0], transcript, homes)
            record = _run(derived, place, _name(store, attempt), progress)
        return _made(record, list_runs(store)[record.run].record, attempt, had.hidden)


def _keep(store: Store, attempt: str, chain: Chain[AttemptEvent]) -> str:
    """Store the transcript as a blob and return its digest; record its end in the list of runs unless it is there."""
    data = store.tree.read_file(transcript_path(store, attempt), MOST_LOG)
    digest = store.blobs.put(data)
    if not data.endswith(b"\n") or sha256(data[data.rfind(b"\n", 0, -1) + 1 :]) != chain.head:
        raise DamageError("the transcript changed while it was read", where=attempt, next="score it again")
    note_end(store, attempt, chain.head)
    return digest


def note_end(store: Store, attempt: str, head: str) -> None:
    """Record the end of an attempt in the list of runs if it is missing there."""
    known = listed_attempts(store.heads.read()).get(attempt)
    if known and not known.closed:
        store.heads.add(CLOSED, {"run": attempt, "journal": head})


def _name(store: Store, attempt: str) -> str:
    """Return the name of an attempt's next run: the attempt's id, followed by a number if earlier runs exist."""
    number, name = 1, attempt
    while store.has_journal(name):
        number += 1
        name = f"{attempt}.{number}"
    return name


def answer_fields(start: AttemptEvent, transcript: str) -> AttemptAnswered:
    """Return what the manifest of an attempt's run names: attempt, agent's label, split, subset and transcript."""
    return AttemptAnswered(start["attempt"], start["label"], start["split"], start["subset"], transcript)


def attempt_table(store: Store, run: str) -> ScoreTable:
    """Return the scores of an attempt's run: only those of the agent, not those of other models of its study."""
    table = score_table(store, run)
    models = read_lock(store.blobs.read(str(read_record(store, run).body["lock"])), "lock").of(MODELS)
    return replace(table, lines=tuple(line for line in table.lines if line.model in models))


def derive_run(
    store: Store, root: Path, start: AttemptEvent, transcript: str, homes: ModelFolders | None = None
) -> DerivedRun:
    """Derive the manifest and the lock of an attempt's run from those that its transcript names."""
    base, tree = parse_manifest(store.blobs.read(start["manifest"]), "the manifest of this attempt")
    held = read_lock(store.blobs.read(start["lock"]), "the lock of this attempt")
    if held.manifest_sha256 != start["manifest"]:
        raise DamageError("the lock of this attempt is not that of its manifest", next="start another attempt")
    return _derived(base, tree, held, answer_fields(start, transcript), root, homes)


def _derived(
    base: Manifest, tree: Tree, held: Lock, said: AttemptAnswered, root: Path, homes: ModelFolders | None
) -> DerivedRun:
    whole = _loaded(derive_manifest(base, tree, said, ()), root, homes)
    loaded = _loaded(derive_manifest(base, tree, said, possible_outputs(whole)), root, homes)
    manifest = loaded.manifest
    pins: Pins = {
        **held.pins,
        MODELS: {named.name: pin_model(loaded, named) for named in every_model(manifest) if named.part == MODELS},
        "datasets": {name: held.pins["datasets"][name] for name in manifest.datasets},
    }
    lock = replace(held, intent=manifest.intent(), manifest_sha256=loaded.sha256, pins=pins)
    return DerivedRun(loaded, lock, asked_part(base, said.split, said.subset).items)


def _loaded(data: bytes, root: Path, homes: ModelFolders | None) -> LoadedManifest:
    manifest, tree = parse_manifest(data, "the manifest of this attempt's run")
    return LoadedManifest(manifest, data, tree, root / "manifests" / manifest.name, root, homes or ModelFolders())


def _run(derived: DerivedRun, place: RunTarget, name: str, progress: Progress) -> Record:
    loaded, lock = derived.loaded, derived.lock
    if moved := changed_pins(loaded, lock):
        raise InputError(
            f"the project is no longer what this attempt was started under; moved: {', '.join(moved[:8])}",
            where=name,
            next="go back to the lock that it names, then `harness attempts finish` it",
        )
    planned = make_plan(check_parts(loaded), lock, derived.limit)
    workshop = place.workshop(loaded)
    require_runnable(loaded, planned, workshop.engine, workshop.box.engine)
    runner = Runner(loaded, lock, planned, workshop, limit=derived.limit, jobs=place.jobs, beside=place.beside)
    runner.name = name
    return runner.run(progress)


PROMPTS, SCORES = "prompts", "scores"
MOVES = "harness.rows:"  # kinds of steps that only move rows
LATER = "a judge model or a program would have to run, which is done when the attempt is scored"


def score_text(
    place: RunTarget, root: Path, request: shapes.ScoreTextArgs, homes: ModelFolders | None = None
) -> shapes.TextScoreRow:
    """Score a text as if it were the answer to an item, by one metric; return the value or why there is none.

    Raises AttemptError for a hidden split, an unknown item or an unknown metric.
    """
    store, attempt = Store.make(place.store), request["attempt_id"]
    start = follow_transcript(store, attempt).events[0]
    if start["hidden"] or attempt_shows_hidden(store, start):
        raise AttemptError("E_HIDDEN_SPLIT", "texts are not scored for items of a hidden split")
    with store.in_use():
        transcript = store.blobs.put(one_answer(start, request["item_id"], request["prediction"]))
        derived = derive_run(store, root, start, transcript, homes)
        planned = make_plan(check_parts(derived.loaded), derived.lock, derived.limit)
        for name in planned.pinned.values():
            store.blobs.put((code_root() / name).read_bytes())
        scorer = TextScorer(derived, planned, place.workshop(derived.loaded, gpus=False))
        return scorer.score(start, request["item_id"], request["metric"])


def one_answer(start: AttemptEvent, item: str, text: str) -> bytes:
    """Build a transcript that holds a single answer, in the form that the steps read; return its bytes."""
    receipt = {"item_id": item, "status": "recorded", "answer_sha256": answer_digest(text, False, None), "record": 1}
    args = {"answers": [{"item_id": item, "answer": text, "abstain": False}]}
    bodies: list[Mapping[str, Any]] = [
        start,
        {"type": TRANSCRIPT, "event": "call", "tool": "submit_answers", "args": args, "receipts": [receipt]},
        {"type": TRANSCRIPT, "event": "attempt.closed"},
    ]
    data, head = b"", START
    for number, body in enumerate(bodies):
        line = encode_document({**body, "n": number, "prev": head}) + b"\n"
        data, head = data + line, sha256(line)
    return data


NOBODY = "20000101T000000Z-" + "0" * 32  # an attempt that none is, for a plan that is only looked at


@lru_cache(maxsize=256)
def usable_metrics(root: Path, manifest: bytes, lock: bytes, split: str) -> tuple[str, ...]:
    """List the metrics of a study that texts can be scored by here: those of a split's scorers that ask no model.

    A scorer is known by the name of its steps. If a step has none, all that the study explains is listed.
    """
    base, tree = parse_manifest(manifest, "a served manifest")
    said = AttemptAnswered(NOBODY, "", split, "", "0" * 64)
    derived = _derived(base, tree, read_lock(lock, "its lock"), said, root, None)
    planned = make_plan(check_parts(derived.loaded), derived.lock, derived.limit)
    steps = {step.name: step for step in planned.steps}
    usable = {
        _scorer_of(step, said.model) for step in steps.values() if _scores(step) and not asks_or_runs_code(step, steps)
    }
    known = sorted(find(base.study).meanings)
    return tuple(name for name in known if "" in usable or name.partition("/")[0] in usable)


def _scores(step: Step) -> bool:
    """Whether a step scores answers, and does not only move scores."""
    return step.stage == SCORES and SCORES in step.outputs and not step.kind.startswith(MOVES)


def _scorer_of(step: Step, model: str) -> str:
    """Return the scorer that the name of a step names behind its stage; empty if the model follows at once."""
    named = step.name.partition(f"/{SCORES}/")[2].partition("/")[0]
    return "" if named == model else named


def asks_or_runs_code(step: Step, steps: Mapping[str, Step]) -> bool:
    """Whether a step, or one that it depends on, asks a model or runs foreign code."""
    asks = step.calls or step.trial or step.infers
    return asks or any(asks_or_runs_code(steps[ref.step], steps) for ref in step.refs())


class TextScorer:
    """Scorer of single texts: of a run's plan it executes only the steps that the scores of one item need."""

    def __init__(self, derived: DerivedRun, planned: Plan, workshop: Workshop) -> None:
        self.derived, self.workshop = derived, workshop
        self.steps = {step.name: step for step in planned.steps}
        self.made: dict[tuple[str, str], str] = {}

    def score(self, start: AttemptEvent, item: str, metric: str) -> shapes.TextScoreRow:
        """Execute the steps that score an item, and return the score by this metric."""
        prompt, source = self._asked(bytes.fromhex(start["secret"]), item)
        study = find(self.derived.loaded.manifest.study)
        wanted = (prompt["item"], prompt["template"], 0, next(iter(self.derived.loaded.manifest.models)))
        found: dict[str, shapes.TextScoreRow] = {}
        later = False
        for step in self._scoring(source):
            if asks_or_runs_code(step, self.steps):
                later = True
                continue
            code = self._make(step)
            for row in self._rows(step, SCORES, Score):
                if (row["item"], row["template"], row["sample"], row["model"]) == wanted:
                    for name, value in study.read_score(row).items():
                        full = row["scorer"] + (f"/{name}" if name else "")
                        if not name or full in study.meanings:  # others may tell something of the correct answer
                            found[full] = _text_score(full, value, code)
        if metric in found:
            return found[metric]
        advice = suggest_name(metric, found) or (f"This item has: {', '.join(sorted(found))}." if found else "")
        what = f"no metric {printable_text(metric)} scores this item"
        raise AttemptError("E_METRIC_NOT_FOR_STUDY", f"{what}; {LATER}" if later else what, advice)

    def _asked(self, secret: bytes, item: str) -> tuple[Prompt, Step]:
        """Return the prompt that has an item's id, and the step that wrote the prompt."""
        for step in list(self.steps.values()):
            if step.stage == PROMPTS and step.outputs == (PROMPTS,) and not step.kind.startswith(MOVES):
                self._make(step)
                for row in self._rows(step, PROMPTS, Prompt):
                    if item_id(secret, item_key(row["item"], row["template"])) == item:
                        return row, step
        raise AttemptError("E_UNKNOWN_ITEM", "this attempt has no such item")

    def _scoring(self, source: Step) -> Iterator[Step]:
        """Yield the steps that score the answers to the prompts of a step."""
        after = {source.name}
        for step in self.steps.values():
            if any(ref.step in after for ref in step.refs()) and step.stage != "analyses":
                after.add(step.name)
                if _scores(step):
                    yield step

    def _make(self, step: Step) -> str:
        """Make a step and those that it depends on; return the digest of its code."""
        for ref in step.refs():
            if (ref.step, ref.output) not in self.made:
                self._make(self.steps[ref.step])
        entry = self.workshop.make(step, parts := self.workshop.preimage(step, self.made)).entry
        self.made |= {(step.name, output): one.sha256 for output, one in entry.outputs.items()}
        return str(parts["code"])

    def _rows(self, step: Step, output: str, kind: type[Any]) -> Iterator[Any]:
        return rows.read(self.workshop.store.blobs.deliver(self.made[step.name, output]), kind)


def _text_score(metric: str, value: object, code: str) -> shapes.TextScoreRow:
    """Return the score of a text as a number, or the reason why there is none."""
    if isinstance(value, Mapping):
        return {"metric": metric, "reason": str(value.get("missing", "there is no value")), "scorer_sha256": code}
    if isinstance(value, bool) or not isinstance(value, int | float):
        return {"metric": metric, "reason": "there is no value", "scorer_sha256": code}
    return {"metric": metric, "value": round_number(value), "scorer_sha256": code}


AGREED, DISAGREED, INCOMPLETE = "agreed", "disagreed", "incomplete"


@dataclass
class VerifiedTranscript:
    """The result of verifying a transcript: its verdict, its flaws, and the first record that is not as written."""

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
    reads: int = 0  # number of repeated reads
    differing: tuple[int, ...] = ()  # the records of reads with another result
    unread: str = ""  # why no read was repeated
    header: AttemptFields | None = None  # what the attempt is of, if the transcript can be read

    @property
    def verdict(self) -> str:
        """`disagreed` for any flaw, `incomplete` for a torn end or if no read was repeated, else `agreed`."""
        if self.flaws or self.differing or not self.budget_ok or not self.manifest_match:
            return DISAGREED
        return INCOMPLETE if self.torn or self.unread else AGREED


def verify_transcript(store: Store, attempt: str, heads: Sequence[str] = ()) -> VerifiedTranscript:
    """Verify the transcript of an attempt; raise InputError if no attempt has this id."""
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
        state = fold_events(chain.events)
    except DamageError as bad:
        found.flaws.append(bad.what)
        found.first_bad = 0
        return found
    found.header = {
        "name": begun["name"],
        "split": begun["split"],
        "hidden": begun["hidden"],
        "gold_reachable": begun["gold_reachable"],
        "principal": begun["principal"],
        "label": begun["label"],
    }
    found.status = attempt_outcome(store, attempt).status
    found.flaws += state.flaws
    late = list(budget_flaws(chain))
    found.budget_ok = not late
    found.flaws += late
    found.canary_hits = canary_hits(state)
    found.manifest_match = _matches(store, begun, found.flaws)
    _replay(store, chain, state, found)
    return found


def _matches(store: Store, begun: AttemptEvent, flaws: list[str]) -> bool:
    """Whether the manifest and the lock that the transcript names are in the store and belong together."""
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


def _replay(store: Store, chain: Chain[AttemptEvent], state: AttemptState, found: VerifiedTranscript) -> None:
    """Repeat the reads of a transcript from the view that it names."""
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
        again = replay_reads(chain.events, reader)
        known = {item_id(state.secret, key) for key in reader.places}
    finally:
        reader.close()
    found.reads, found.differing = again.reads, again.differing
    strange = [answer.record for name, answer in state.answers.items() if name not in known]
    found.flaws += [f"record {record} answers an item that the view does not have" for record in strange]
    if state.header["items"] != view.items:
        found.flaws.append("the transcript counts other items than the view has")
