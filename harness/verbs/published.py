"""The verbs `claims` and `runs`: published numbers judged by the newest run of each manifest, and the runs of a store.

Each claim is of a kind, by what its value is made from. `run` makes first what needs no model. Runs are listed newest
first, each checked against the store's list of runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import Field

from harness.errors import AGREED, DISAGREED, HarnessError, InputError, MissingError
from harness.evidence.claims.claims import (
    NEEDS,
    ClaimHistory,
    JudgedClaim,
    PointerReader,
    criteria_text,
    judge_claims,
    same_number,
    with_absent_files,
    with_claim_kind,
    with_imported_models,
)
from harness.evidence.claims.kinds import (
    CLAIM_KINDS,
    COUNTS,
    READING,
    TRANSCRIPTION,
    UNKNOWN,
    ClaimKind,
    OutputKinds,
    recorded_kinds,
)
from harness.evidence.claims.subject import History, Subject, changed_intent, run_subject
from harness.evidence.record import Digested, Record, failed_steps, read_record, spell_healed
from harness.evidence.trail import Trail, absent_files, read_trail
from harness.manifest.datasets import Fetched, FetchedFiles
from harness.manifest.load import LoadedManifest
from harness.manifest.lockfile import Lock, load_lock, read_lock
from harness.manifest.schema import Claim
from harness.run.planning.plan import unresolved_pins
from harness.run.service import ModelFreeOutputs, foresee_kinds, make_model_free
from harness.store.store import Listed, Store, follow_journal, list_runs, read_start
from harness.studies.registry import find
from harness.verbs.project import Project, Result, Watch, choose_target
from harness.verbs.requests import ClaimsRequest, EngineRequest, RunRequest, RunsRequest
from harness.verbs.running import refuse_derived, run

__all__ = [
    "CLAIM_KINDS",
    "TRANSCRIPTION",
    "ClaimsResult",
    "RunsResult",
    "claims",
    "runs",
]

DAMAGED, UNENDED = "damaged", "unended"


class FailedStepData(Result):
    """A step of a run that failed, and what ended it.

    `outcome` is memory, time, disk, killed, crashed, worker-lost, outputs, stopped or failed.
    """

    step: str
    outcome: str
    error: str
    text: str


class ListedRun(Result):
    """One run in the list: its manifest, when and on which engine it started, and how it ended."""

    run: str
    manifest: str
    started: str
    engine: str
    status: str  # done | failed | interrupted | incomplete | unended | damaged
    steps: dict[str, int] = Field(default_factory=dict)
    limit: int = 0
    healed: dict[str, int] = Field(default_factory=dict)  # damaged steps and blobs of the store that the run made anew
    failures: list[FailedStepData] = Field(default_factory=list)  # its failed steps, if any
    asked: dict[str, str] = Field(default_factory=dict)  # if an agent asked for it: its principal, and the key

    @property
    def healed_text(self) -> str:
        """Text on the damage of its store that the run found and repaired; empty if there was none."""
        return spell_healed(self.healed)


class RunsResult(Result):
    """Result of `runs`: runs, newest first, and how many more there are."""

    runs: list[ListedRun]
    more: int


def runs(project: Project, asked: RunsRequest | None = None) -> RunsResult:
    """List the runs of the store, newest first: all, or those of one manifest, up to the requested number."""
    asked, store = asked or RunsRequest(), project.open()
    names: dict[str, str] = {}
    found: list[ListedRun] = []
    more, known_runs = 0, list_runs(store)
    for known in reversed(known_runs.values()):
        begun = read_start(store, known)
        lock = str(begun["lock"]) if begun else ""
        if lock not in names:
            names[lock] = _name(store, lock)
        if asked.manifest and names[lock] != asked.manifest:
            continue
        if asked.most and len(found) == asked.most:
            more += 1
        elif begun is None:
            found.append(ListedRun(run=known.run, manifest="", started="", engine="", status=DAMAGED))
        else:
            limit: dict[str, Any] = {"limit": begun["limit"]} if "limit" in begun else {}
            limit |= {"asked": dict(begun["asked"])} if "asked" in begun else {}
            one = ListedRun(
                run=known.run,
                manifest=names[lock],
                started=begun["at"],
                engine=begun["engine"],
                **_ended(store, known, known_runs),
                **limit,
            )
            found.append(one)
    return RunsResult(runs=found, more=more)


def _name(store: Store, lock: str) -> str:
    try:
        return str(read_lock(store.blobs.read(lock), "lock").intent["name"]) if lock else ""
    except (HarnessError, LookupError):
        return ""


def _ended(store: Store, known: Listed, runs: Mapping[str, Listed]) -> dict[str, Any]:
    if not known.ended:
        return {"status": UNENDED}
    try:
        body = read_record(store, known.run, runs).body
    except HarnessError:
        return {"status": DAMAGED}
    more: dict[str, Any] = {"healed": dict(body["healed"])} if "healed" in body else {}
    if body["steps"]["failed"]:
        found = failed_steps(follow_journal(store, known).events)
        more["failures"] = [FailedStepData(**vars(one), text=one.text) for one in found]
    return {"status": body["status"], "steps": dict(body["steps"]), **more}


Claimed = Mapping[str, tuple[Subject, Sequence[Claim]]]  # by the manifest's name: its subject and its claims
MODEL_FREE = (COUNTS, READING, TRANSCRIPTION)  # kinds of values that no model takes part in
MANIFEST_READ, CLAIMS_TASK = "read", "claims"
NOTHING_MADE = ModelFreeOutputs({})


class ClaimData(Result):
    """Claim with its verdict from a run, its kind, and the counts of runs that tried the same."""

    id: str
    manifest: str
    study: str
    published: str | None
    value: str | list[str | None] | None  # one, or one for each place the claim points to
    tolerance: str
    verdict: str  # met | missed | not run: needs …
    kind: str  # pipeline | counts | reading | transcription | unknown
    kind_reason: str = ""  # why the kind is unknown
    manifests: list[str]  # all of the project that hold the same number, this one too
    where: str
    status: str | None
    of: str | list[str]
    detail: str
    run: str | None
    computed: bool = False  # made for this verdict; no run recorded it
    moved: bool
    was: dict[str, Any] | None  # the claim as it was first registered, if it has moved
    withdrawn: bool
    run_number: int | None
    runs: int | None
    missed_before: int | None
    missed_after: int | None
    limited_missed: int | None
    unfinished: int | None
    other_settings_missed: int | None
    without: list[str] = Field(default_factory=list)  # published files that were absent when the value was made
    imported: list[str] = Field(default_factory=list)  # models whose imported answers the value rests on
    history: str = Field(exclude=True)  # the counts in words
    was_tolerance: str = Field(exclude=True)  # of the claim as it was first registered, in words
    number: tuple[object, ...] = Field(exclude=True)  # equal for claims on the same number


class WayToSee(Result):
    """Commands by which numbers that are still unseen can be compared, and how many numbers they would show."""

    manifest: str
    shows: int
    models: int  # missing models and instruments, whose answers are to be brought or asked for
    next: list[str]


class UnseenNumbers(Result):
    """Numbers of a study that nothing here compares yet, and the ways to see some: with the least, and the most."""

    study: str
    numbers: int
    ways: list[WayToSee]


class ClaimsResult(Result):
    """Result of `claims`: every claim with its verdict, what to bring to see more, and the runs that are not read."""

    claims: list[ClaimData]
    unread: list[str]
    unseen: list[UnseenNumbers] = Field(default_factory=list)  # by study, if there are any

    @property
    def code(self) -> int:
        """Exit code: 1 if a claim is missed."""
        return DISAGREED if any(one.verdict == "missed" for one in self.claims) else AGREED


@dataclass(frozen=True)
class _JudgedManifest:
    """A manifest with its judged claims, and what its run lacks."""

    loaded: LoadedManifest
    claims: list[JudgedClaim]
    lacks: list[str]

    @property
    def study(self) -> str:
        return self.loaded.manifest.study

    @property
    def path(self) -> str:
        return self.loaded.path.relative_to(self.loaded.root).as_posix()


def claims(project: Project, asked: ClaimsRequest | None = None, watch: Watch | None = None) -> ClaimsResult:
    """Judge the published claims of manifests by the newest runs under their locks, each with its kind.

    A claim is met, missed or not run. With `run`, what needs no model and no absent data is made first: by a run of a
    manifest without models whose lock fits, else for these verdicts alone. Otherwise nothing is run. Runs that cannot
    be read are named in the result.
    """
    asked, watch = asked or ClaimsRequest(), watch or Watch()
    todo = [project.manifest(path) for path in asked.manifests or project.manifests()]
    for loaded in todo if asked.manifests else ():
        refuse_derived(loaded, "makes no claims")
    todo = [loaded for loaded in todo if not loaded.manifest.derived]
    claimed = {root: _claimed(project.of(one), todo) for root, one in {one.root: one for one in todo}.items()}
    kinds: dict[Path, OutputKinds] = {}
    judging = _Judging(project, claimed, kinds, watch)
    found, unread = judging.all(todo, {})
    if asked.run:
        found, unread = judging.all(todo, {one.loaded.path: _make(project, one, asked, watch) for one in found})
    for name in unread:
        watch.say(
            f"run {name} cannot be read: what it registered and made is not known (`harness audit {name}` says more)"
        )
    unseen: dict[str, Any] = {"unseen": told} if (told := list(_unseen(found))) else {}
    return ClaimsResult(claims=_rows(found, claimed), unread=unread, **unseen)


@dataclass(frozen=True)
class _Judging:
    """What is read once for all manifests that are judged."""

    project: Project
    claimed: Mapping[Path, Claimed]
    kinds: dict[Path, OutputKinds]
    watch: Watch

    def all(
        self, todo: Sequence[LoadedManifest], made: Mapping[Path, ModelFreeOutputs]
    ) -> tuple[list[_JudgedManifest], list[str]]:
        """Judge manifests by their runs, and by outputs `made` for them alone; return the unreadable runs, too."""
        histories: dict[Path, History | None] = {}
        found: list[_JudgedManifest] = []
        hidden: set[str] = set()
        gone: list[tuple[object, ...]] = []
        report = self.watch.task(CLAIMS_TASK)
        for number, loaded in enumerate(todo):
            report(loaded.manifest.name, MANIFEST_READ, number, len(todo))
            store = self.project.of(loaded).store
            if store not in histories:
                histories[store] = _history(store, self.watch if not made else Watch())
            history = histories[store]
            one = _judged(
                loaded, history, self.claimed[loaded.root], self.kinds, made.get(loaded.path, NOTHING_MADE), store
            )
            kept = [each for each in one.claims if not each.withdrawn or _lost(each) not in gone]
            gone += [_lost(each) for each in kept if each.withdrawn]
            found.append(replace(one, claims=kept))
            hidden |= history.unread if history and one.claims else set()
        report("all manifests", MANIFEST_READ, len(todo), len(todo))
        return found, sorted(hidden)


def _rows(found: Sequence[_JudgedManifest], claimed: Mapping[Path, Claimed]) -> list[ClaimData]:
    """Return the judged claims as data, each with the manifests that hold its number."""
    holders: dict[tuple[object, ...], list[str]] = {}
    for manifests in claimed.values():
        for name, (subject, theirs) in manifests.items():
            for one in judge_claims(name, theirs, None):
                holders.setdefault(same_number(subject.study, one), []).append(name)
    made = []
    for each in found:
        for one in each.claims:
            key = same_number(each.study, one)
            names = list(dict.fromkeys([one.manifest, *holders.get(key, ())]))
            tried = str(one.count) if one.count else ""
            was = criteria_text(one.was) if one.was else ""
            more: dict[str, Any] = {"history": tried, "was_tolerance": was, "number": key}
            made.append(ClaimData(**one.data, study=each.study, manifests=names, **more))
    return made


def _lost(one: JudgedClaim) -> tuple[object, ...]:
    """Return the key by which withdrawn claims are compared, because several manifests may lead to the same one."""
    return one.withdrawn, one.manifest, one.of, one.tolerance, one.published, one.where


def _claimed(project: Project, todo: list[LoadedManifest]) -> Claimed:
    """Return the subject and the claims of each manifest of a project, by its name.

    A manifest that was not requested and cannot be read is left out; requesting it raises the error.
    """
    found = {one.path: one for one in todo if one.root == project.root}
    for path in project.manifests():
        if path.resolve() not in found:
            with suppress(HarnessError):
                found[path.resolve()] = project.manifest(path)
    return {one.manifest.name: (run_subject(one.manifest.intent(), {}), one.manifest.claims) for one in found.values()}


def _history(root: Path, watch: Watch) -> History | None:
    """Return the history of a store's runs; None if there is no store yet."""
    if not root.exists():
        watch.say(f"there is no store in {root} yet: nothing was run")
        return None
    return History(Store.open(root))


def _judged(
    loaded: LoadedManifest,
    history: History | None,
    claimed: Claimed,
    kinds: dict[Path, OutputKinds],
    made: ModelFreeOutputs,
    root: Path,
) -> _JudgedManifest:
    """Judge the claims of a manifest by its newest run; those that have none, by outputs `made` for this alone."""
    name, claims = loaded.manifest.name, loaded.manifest.claims
    lock = load_lock(loaded.root, name)
    if history is None:
        lacks = _run(loaded, lock, None)[1]
        return _JudgedManifest(loaded, _with_kinds(judge_claims(name, claims, None, lacks=lacks), loaded, kinds), lacks)
    past = ClaimHistory(
        history,
        run_subject(loaded.manifest.intent(), lock.pins if lock else {}),
        [claim for other, (_, theirs) in claimed.items() if other != name for claim in theirs],
    )
    registered, dropped = history.registered(name), past.dropped_claims(name, claimed)
    if not (claims or registered or dropped):
        return _JudgedManifest(loaded, [], [])
    record, lacks = _run(loaded, lock, history)
    if record is None:
        values, run = None, None
    else:
        past = replace(past, untouched=history.untouched(record.run))
        values, run = PointerReader(record.outputs, history.store.blobs.deliver, past.found).at, record.run
    found = judge_claims(name, claims, registered, values, lacks=lacks, run=run, past=past)
    if record is None and made.made:
        outputs: dict[str, Digested] = {output: {"sha256": digest} for output, digest in made.made.items()}
        reader = PointerReader(outputs, Store.open(root).blobs.deliver)
        now = judge_claims(name, claims, registered, reader.at, lacks=lacks, past=past)
        found = [_computed(*pair, made) for pair in zip(found, now, strict=True)]
    for old, gone in dropped.items():
        found += judge_claims(old, (), gone, values, lacks=lacks, run=run, past=past)
    trail = _trail(history.store, record) if record and found else None
    if isinstance(trail, Trail):
        without = absent_files(trail)
        found = [with_absent_files(one, without) for one in found]
    taken = {one["model"] for one in record.body.get("imported", ())} if record else set()
    models = loaded.manifest.models
    found = [with_imported_models(one, taken, models, past.untouched) for one in found] if taken else found
    return _JudgedManifest(loaded, _with_kinds(found, loaded, kinds, trail), [] if record else lacks)


def _computed(idle: JudgedClaim, now: JudgedClaim, made: ModelFreeOutputs) -> JudgedClaim:
    """Return a claim as judged by outputs made for it alone, or else as it was without them.

    A value that is missed and would have read published files that are not here says nothing yet.
    """
    if not _outputs(idle) <= made.made.keys():
        return idle
    found = with_absent_files(replace(now, computed=True), made.absent)
    if found.verdict == "missed" and found.without:
        needs = f"{len(found.without)} published files that are not here, such as {found.without[0]}"
        return replace(idle, verdict=NEEDS + needs, detail="", without=())
    return found


def _trail(store: Store, record: Record) -> Trail | str:
    """Return the trail of a run, or why it cannot be read; one that read many published files must be readable."""
    try:
        return read_trail(store, record.run)
    except HarnessError as bad:
        if "data" in record.body:
            raise
        return f"what run {record.run} read cannot be told: {bad.what}"


def _outputs(one: JudgedClaim) -> set[str]:
    return {pointer.partition("#")[0] for pointer in ([one.of] if isinstance(one.of, str) else one.of)}


def _with_kinds(
    found: list[JudgedClaim], loaded: LoadedManifest, kinds: dict[Path, OutputKinds], trail: Trail | str | None = None
) -> list[JudgedClaim]:
    """Set the kinds of judged claims, by the manifest's plan and by what the run of their values read."""
    if not found:
        return found
    if loaded.path not in kinds:
        kinds[loaded.path] = foresee_kinds(loaded)
    known = kinds[loaded.path]
    outputs = set[str]().union(*map(_outputs, found))
    if isinstance(trail, str):
        known = replace(known, recorded={name: [ClaimKind(UNKNOWN, trail)] for name in outputs})
    elif trail:
        known = replace(known, recorded=recorded_kinds(trail, known.asking, outputs))
    return [with_claim_kind(one, known) for one in found]


def _make(project: Project, one: _JudgedManifest, asked: ClaimsRequest, watch: Watch) -> ModelFreeOutputs:
    """Make what a manifest's claims need and no model takes part in; return the outputs that no run records.

    A manifest without models is run if its lock fits. What this machine lacks is told, and left out.
    """
    idle = [each for each in one.claims if each.verdict.startswith(NEEDS) and not each.withdrawn]
    outputs = {name for each in idle if each.kind in MODEL_FREE for name in _outputs(each)}
    if not outputs:
        return NOTHING_MADE
    here, name = project.of(one.loaded), one.loaded.manifest.name
    said = {key: value for key, value in vars(asked).items() if key in EngineRequest.__annotations__}
    try:
        if not one.loaded.manifest.models and one.lacks == ["a run"]:
            run(here, RunRequest(manifests=[one.loaded.path], **said), watch)
            return NOTHING_MADE
        target = choose_target(asked, here, watch)
        done = make_model_free(one.loaded, outputs, target, watch.task(name))
    except (MissingError, InputError) as bad:
        told = f" ({bad.where})" * bool(bad.where) + f"; next: {bad.next}" * bool(bad.next)
        watch.say(f"{name}: its values are not made: {bad.what}{told}")
        return NOTHING_MADE
    for output, need in done.needs.items():
        watch.say(f"{name}: {output} is not made: it needs {need}; `harness claims {one.path}` says what to bring")
    return done


Keys = frozenset[tuple[object, ...]]  # of numbers


@dataclass(frozen=True)
class _Way:
    """A way to see some numbers of a manifest: what it takes, and the numbers that it shows."""

    effort: tuple[int, ...]
    shows: Keys
    manifest: str
    models: int
    next: list[str]

    @property
    def data(self) -> WayToSee:
        return WayToSee(manifest=self.manifest, shows=len(self.shows), models=self.models, next=self.next)


def _unseen(found: Sequence[_JudgedManifest]) -> Iterator[UnseenNumbers]:
    """Yield for each study how many numbers nothing here compares, how some are seen with the least, and most others.

    Transcriptions are left out.
    """
    seen = {key for each in found for one, key in _keyed(each) if not one.verdict.startswith(NEEDS)}
    ways: dict[str, list[_Way]] = {}
    for each in found:
        keys = {key: one for one, key in _keyed(each) if key not in seen and one.kind != TRANSCRIPTION}
        free = frozenset(key for key, one in keys.items() if one.kind in MODEL_FREE)
        ways.setdefault(each.study, []).extend(_ways(each, free, frozenset(keys)))
    for study, known in sorted(ways.items()):
        left = frozenset().union(*(way.shows for way in known))
        chosen = sorted(known, key=lambda way: (way.effort, -len(way.shows), way.manifest))[:1]
        others = sorted(known, key=lambda way: (-len(way.shows - chosen[0].shows), way.effort, way.manifest))[:1]
        chosen += [way for way in others if way.shows - chosen[0].shows]
        if left:
            yield UnseenNumbers(study=study, numbers=len(left), ways=[way.data for way in chosen])


def _keyed(each: _JudgedManifest) -> Iterator[tuple[JudgedClaim, tuple[object, ...]]]:
    yield from ((one, same_number(each.study, one)) for one in each.claims if not one.withdrawn)


def _ways(each: _JudgedManifest, free: Keys, every: Keys) -> Iterator[_Way]:
    """Yield the ways to see a manifest's numbers: `free` are those that need no model.

    These are seen by `claims --run`, as soon as their data is here; the rest by a run.
    """
    unlocked = any(lack.startswith("a lock") for lack in each.lacks)
    wanted = [
        dataset
        for name, dataset in each.loaded.manifest.datasets.items()
        if isinstance(dataset, Fetched | FetchedFiles) and (unlocked or f"datasets.{name}" in each.lacks)
    ]
    many = len(wanted) > 1 or any(isinstance(one, FetchedFiles) for one in wanted)
    data = [f"harness import data {'FOLDER' if many else 'FILE'}"] if wanted else []
    models = sum(lack.startswith(("models.", "instruments.")) for lack in each.lacks)
    if free:
        words = [*data, f"harness claims --run {each.path}"]
        yield _Way((0, models, len(wanted)), free, each.path, 0, words)
    if free < every:
        known = [name for name in find(each.study).importers if name.endswith("-responses")]
        answers = f"harness import {known[0]} FOLDER" if known else "harness import responses FILE"
        lock = [f"harness lock {each.path}"] if data or models or unlocked else []
        words = [*data, *([answers] if models else []), *lock, f"harness run {each.path}"]
        yield _Way((1, models, len(wanted)), every, each.path, models, words)


def _run(loaded: LoadedManifest, lock: Lock | None, history: History | None) -> tuple[Record | None, list[str]]:
    """Return the record of the run whose values count, or None and what is lacking: a lock, resolved names, a run."""
    if lock is None:
        return None, ["a lock"]
    parted = changed_intent(lock.intent, loaded.manifest.intent())
    if parted:
        return None, [f"a lock that fits: {parted[0]} moved"]
    gaps = [pin for pin, _ in unresolved_pins(lock)]
    if gaps or history is None:
        return None, gaps or ["a run"]
    pointed = {pointer.partition("#")[0] for claim in loaded.manifest.claims for pointer in claim.pointers}
    record, lack = history.newest(loaded.manifest.name, lock, pointed)
    return record, [lack]
