"""The verbs `claims` and `runs`: published numbers judged by the newest run of each manifest, and the runs of a store.

Runs are listed newest first, each checked against the store's list of runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import Field

from harness.errors import AGREED, DISAGREED, HarnessError
from harness.evidence.claims.claims import ClaimHistory, JudgedClaim, judge, with_absent_files, with_imported
from harness.evidence.claims.subject import History, Subject, changed_intent, subject_of
from harness.evidence.claims.values import PointerReader, criteria_text
from harness.evidence.record import Record, read_record, spell_healed
from harness.evidence.trail import absent_files, read_trail
from harness.manifest.load import Loaded
from harness.manifest.lockfile import Lock, load_lock, read_lock
from harness.manifest.schema import Claim
from harness.run.planning.plan import unresolved_pins
from harness.store.store import Listed, Store, listed, started
from harness.verbs.project import PathText, Project, Request, Result, Watch
from harness.verbs.running import refuse_derived

DAMAGED, UNENDED = "damaged", "unended"


class RunsRequest(Request):
    """Request of `runs`: of which manifest, and how many at most."""

    manifest: str = Field(default="", description="Only runs of the manifest of this name.")
    most: int = Field(default=20, ge=0, description="How many runs, newest first; 0: all.")


class ListedRun(Result):
    """One run in the list: when it began, of which manifest, where, and how it ended."""

    run: str
    manifest: str
    started: str
    engine: str
    status: str  # done | failed | interrupted | incomplete | unended | damaged
    steps: dict[str, int] = Field(default_factory=dict)
    limit: int = 0
    healed: dict[str, int] = Field(default_factory=dict)  # damage of the store that it met and made anew: steps, blobs

    @property
    def healed_text(self) -> str:
        """What damage of its store the run met and made anew; empty where it met none."""
        return spell_healed(self.healed)


class RunsResult(Result):
    """Result of `runs`: runs, newest first, and how many more there are."""

    runs: list[ListedRun]
    more: int


def runs(project: Project, asked: RunsRequest | None = None) -> RunsResult:
    """List the runs of the store, the newest first: all, or those of one manifest, at most as many as requested."""
    asked, store = asked or RunsRequest(), project.open()
    names: dict[str, str] = {}
    found: list[ListedRun] = []
    more, known_runs = 0, listed(store)
    for known in reversed(known_runs.values()):
        begun = started(store, known)
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
            one = ListedRun(
                run=known.run,
                manifest=names[lock],
                started=begun["at"],
                engine=begun["engine"],
                **_ended(store, known, known_runs),
                **({"limit": begun["limit"]} if "limit" in begun else {}),
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
    healed = {"healed": dict(body["healed"])} if "healed" in body else {}
    return {"status": body["status"], "steps": dict(body["steps"]), **healed}


Claimed = Mapping[str, tuple[Subject, Sequence[Claim]]]  # by the manifest's name: what it is about, what it claims


class ClaimsRequest(Request):
    """Request of `claims`: the manifests whose claims are judged."""

    manifests: Sequence[PathText] = Field(default_factory=list, description="Manifest files; none: all of the project.")


class ClaimData(Result):
    """Claim with its verdict by a run, and how often the same was tried."""

    id: str
    manifest: str
    published: str | None
    value: str | list[str | None] | None  # one, or one for each place the claim points to
    tolerance: str
    verdict: str  # met | missed | not run: needs …
    where: str
    status: str | None
    of: str | list[str]
    detail: str
    run: str | None
    moved: bool
    was: dict[str, Any] | None  # the claim as it was first registered, where it has moved
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


class ClaimsResult(Result):
    """Result of `claims`: every claim with its verdict, and the runs that could not be read."""

    claims: list[ClaimData]
    unread: list[str]

    @property
    def code(self) -> int:
        """Exit code: 1 where a claim is missed."""
        return DISAGREED if any(one.verdict == "missed" for one in self.claims) else AGREED


def claims(project: Project, asked: ClaimsRequest | None = None, watch: Watch | None = None) -> ClaimsResult:
    """Judge the published claims of manifests by the newest runs under their locks; it runs nothing.

    A claim is met, missed or not run; runs that cannot be read are named in the result.
    """
    asked, watch = asked or ClaimsRequest(), watch or Watch()
    todo = [project.manifest(path) for path in asked.manifests or project.manifests()]
    for loaded in todo if asked.manifests else ():
        refuse_derived(loaded, "makes no claims")
    todo = [loaded for loaded in todo if not loaded.manifest.derived]
    histories: dict[Path, History | None] = {}
    claimed: dict[Path, Claimed] = {}
    found: list[JudgedClaim] = []
    hidden: set[str] = set()
    for loaded in todo:
        here = project.of(loaded)
        if here.store not in histories:
            histories[here.store] = _history(here.store, watch)
        if loaded.root not in claimed:
            claimed[loaded.root] = _claimed(here, todo)
        history = histories[here.store]
        judged = _judged(loaded, history, claimed[loaded.root])
        found += [one for one in judged if not one.withdrawn or _lost(one) not in map(_lost, found)]
        hidden |= history.unread if history and judged else set()
    unread = sorted(hidden)
    for run in unread:
        watch.say(
            f"run {run} cannot be read: what it registered and made is not known (`harness audit {run}` says more)"
        )
    return ClaimsResult(claims=[_data(one) for one in found], unread=unread)


def _data(one: JudgedClaim) -> ClaimData:
    tried = str(one.count) if one.count else ""
    return ClaimData(**one.data, history=tried, was_tolerance=criteria_text(one.was) if one.was else "")


def _lost(one: JudgedClaim) -> tuple[object, ...]:
    """Separate claims that are gone: what nobody claims any more may have been about several manifests."""
    return one.withdrawn, one.manifest, one.of, one.tolerance, one.published, one.where


def _claimed(project: Project, todo: list[Loaded]) -> Claimed:
    """Collect the claims of all manifests of a project, by name, and what each is about.

    One that nobody asked for and that cannot be read claims nothing here: to name it says why.
    """
    found = {one.path: one for one in todo if one.root == project.root}
    for path in project.manifests():
        if path.resolve() not in found:
            with suppress(HarnessError):
                found[path.resolve()] = project.manifest(path)
    return {one.manifest.name: (subject_of(one.manifest.intent(), {}), one.manifest.claims) for one in found.values()}


def _history(root: Path, watch: Watch) -> History | None:
    """Read the runs of a store; empty where there is none yet."""
    if not root.exists():
        watch.say(f"there is no store in {root} yet: nothing was run")
        return None
    return History(Store.open(root))


def _judged(loaded: Loaded, history: History | None, claimed: Claimed) -> list[JudgedClaim]:

    name, claims = loaded.manifest.name, loaded.manifest.claims
    lock = load_lock(loaded.root, name)
    if history is None:
        return judge(name, claims, None, lacks=_run(loaded, lock, None)[1])
    past = ClaimHistory(
        history,
        subject_of(loaded.manifest.intent(), lock.pins if lock else {}),
        [claim for other, (_, theirs) in claimed.items() if other != name for claim in theirs],
    )
    registered, dropped = history.registered(name), past.dropped_claims(name, claimed)
    if not (claims or registered or dropped):
        return []
    record, lacks = _run(loaded, lock, history)
    if record is None:
        values, run = None, None
    else:
        past = replace(past, untouched=history.untouched(record.run))
        values, run = PointerReader(record.outputs, history.store.blobs.deliver, past.found).at, record.run
    found = judge(name, claims, registered, values, lacks=lacks, run=run, past=past)
    for old, gone in dropped.items():
        found += judge(old, (), gone, values, lacks=lacks, run=run, past=past)
    if record and "data" in record.body:
        without = absent_files(read_trail(history.store, record.run))
        found = [with_absent_files(one, without) for one in found]
    taken = {one["model"] for one in record.body.get("imported", ())} if record else set()
    models = loaded.manifest.models
    return [with_imported(one, taken, models, past.untouched) for one in found] if taken else found


def _run(loaded: Loaded, lock: Lock | None, history: History | None) -> tuple[Record | None, list[str]]:
    """Find the run whose values count, or word what is lacking: a lock, an unresolved name, a run."""
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
