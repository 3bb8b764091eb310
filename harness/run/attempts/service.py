"""What an agent's tools call beside a store: offers of studies and splits, attempts opened, answered and scored.

Prompts are counted from what locks pin, before any view is made.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from harness import rows
from harness.attempts.calls import OpenedAttempt
from harness.attempts.codes import REPLY_BYTES, AttemptError
from harness.attempts.session import UNKNOWN
from harness.digest import canonical
from harness.errors import HarnessError, InputError, Interrupted
from harness.manifest.load import Loaded, ModelFolders
from harness.manifest.lockfile import Lock
from harness.manifest.schema import splits
from harness.rowtypes import Item, Prompt
from harness.run.attempts.hidden_splits import attempt_header, attempt_shows_hidden, attempts_used
from harness.run.attempts.open import OpenedView, Opening, open_attempt, reopen_attempt
from harness.run.attempts.score import (
    FAILED,
    SCORED,
    SCORING,
    SEALED,
    WAITING,
    AttemptOutcome,
    agent_meaning,
    agent_scores,
    attempt_outcome,
    attempt_table,
    score_attempt,
    score_text,
)
from harness.run.attempts.served import NOT_READY, ServedProject, ready_lock, why_closed
from harness.run.attempts.view import PROMPTS, ViewSpec, dataset_of, planned_view, view_spec
from harness.run.closure import code_root
from harness.steps import Pinned, Step
from harness.store.attempts import ATTEMPT_ID
from harness.store.store import Store
from harness.studies.registry import find

TEXT, CHOICE = "text", "choice"
ASKS_NOTHING = "this split asks nothing"


def catalogue(served: ServedProject, principal: str) -> list[dict[str, Any]]:
    """List the studies that are served, as an agent is told of them; those without splits are for operators only."""
    try:
        store: Store | None = Store.open(served.target.store)
    except HarnessError:
        store = None  # nothing was made here yet
    return [_study(served, loaded, principal, store) for loaded in served.manifests]


def _study(served: ServedProject, loaded: Loaded, principal: str, store: Store | None) -> dict[str, Any]:
    manifest = loaded.manifest
    said: dict[str, Any] = {"study": manifest.name, "title": manifest.about}
    if manifest.agents is None or not manifest.agents.splits:
        return {**said, "answer_kinds": [], "splits": [], "operators_only": True}
    offers, kinds, lock = [], set[str](), ready_lock(loaded)
    for name in splits(manifest):
        offer, found = _split(served, loaded, name, principal, store, lock)
        offers.append(offer)
        kinds |= found
    budget = {"calls": manifest.agents.budget.calls, "seconds": manifest.agents.budget.seconds}
    if metrics := sorted(find(manifest.study).meanings) if any(not offer["hidden"] for offer in offers) else []:
        said["metrics"] = metrics  # a text is scored over public items alone
    return {**said, "answer_kinds": sorted(kinds), "splits": offers, "budget": budget}


def _split(
    served: ServedProject, loaded: Loaded, name: str, principal: str, store: Store | None, lock: Lock | None
) -> tuple[dict[str, Any], set[str]]:
    """Say what a split holds and how many attempts are left, and of which kinds its answers are."""
    split = splits(loaded.manifest)[name]
    offer: dict[str, Any] = {"split": name, "n_items": 0, "hidden": split.hidden, "attempts_left": 0}
    why, kinds = why_closed(served, loaded, name, store, lock), set[str]()
    if lock:
        try:
            spec = view_spec(loaded, name)
            steps = list({dataset_of(step): step for step in planned_view(loaded, lock, spec)[1]}.values())
            offer["n_items"] = sum(count_prompts(step, spec, lock, store) for step in steps)
            kinds = {_kind(step, spec, lock, store) for step in steps}
            why = why or ("" if steps else ASKS_NOTHING)
            if parts := subsets(steps, spec):
                offer["subsets"] = parts
        except HarnessError:
            why = NOT_READY
    if why:
        return {**offer, "reason": why}, kinds
    if split.max_attempts is None:
        del offer["attempts_left"]  # as many as one likes
    else:
        used = attempts_used(store, principal, loaded.manifest.name, name) if store else 0
        offer["attempts_left"] = max(0, split.max_attempts - used)
    return offer, kinds


def subsets(steps: list[Step], spec: ViewSpec) -> list[str]:
    """Name the parts of a split that can be asked alone: its datasets (a step each), and the wordings it names."""
    datasets = [dataset_of(step) for step in steps]
    wordings = [f"template-{number}" for number in spec.part.templates]
    return [*(datasets if len(datasets) > 1 else []), *(wordings if len(wordings) > 1 else [])]


def count_prompts(step: Step, spec: ViewSpec, lock: Lock, store: Store | None) -> int:
    """Count the prompts that a step will write in the wordings that are wanted.

    Of prompts that a dataset brings along, whose table is not here yet, it takes as many an item as there are on
    average.
    """
    pins, wanted = lock.pins["datasets"][dataset_of(step)], set(spec.part.templates)
    items = min(int(pins["items"]["rows"]), spec.part.items or int(pins["items"]["rows"]))
    templates = step.inputs.get("templates")
    if isinstance(templates, Pinned):
        path = next(pin["file"] for pin in lock.pins[PROMPTS].values() if pin["sha256"] == templates.sha256)
        numbers = [json.loads(line)["id"] for line in (code_root() / path).read_bytes().splitlines()]
        return items * sum(not wanted or number in wanted for number in numbers)
    first = {row["id"] for row in _first(pins, "items", items, store)}
    if first and store and store.blobs.state(pins["rendered"]["sha256"]) == "sound":
        found = rows.read(store.blobs.deliver(pins["rendered"]["sha256"]), Prompt)
        return sum(row["item"] in first and (not wanted or row["template"] in wanted) for row in found)
    return items * round(int(pins["rendered"]["rows"]) / int(pins["items"]["rows"]))


def _kind(step: Step, spec: ViewSpec, lock: Lock, store: Store | None) -> str:
    """Say of which kind the answers to a dataset's first item are; what is not here yet is taken for text."""
    pins = lock.pins["datasets"][dataset_of(step)]
    return next((CHOICE for row in _first(pins, "items", spec.part.items or 1, store) if "options" in row), TEXT)


def _first(pins: Any, table: str, count: int, store: Store | None) -> Iterator[Item]:
    """Read the first rows of a table that a lock pins, where it lies in the store."""
    if store and store.blobs.state(pins[table]["sha256"]) == "sound":
        yield from islice(rows.read(store.blobs.deliver(pins[table]["sha256"]), Item), count)


UNSCORED = "the scoring failed; the operator of this benchmark can see why and have it scored again"


def opening(request: Mapping[str, Any], tools: str, profile: str, principal: str, session: str = "") -> Opening:
    """Say what start_attempt asks for, from its arguments."""
    return Opening(
        study=str(request["study"]),
        split=str(request["split"]),
        subset=str(request.get("subset") or ""),
        idempotency_key=str(request["idempotency_key"]),
        agent_label=str(request.get("agent_label") or ""),
        tools=tools,
        profile=profile,
        principal=principal,
        session=session,
    )


def told(store: Store, outcome: AttemptOutcome) -> dict[str, Any]:
    """Return what an agent may know of its attempt's scoring: of hidden data that it is sealed, and nothing else."""
    if outcome.hidden or _shows_hidden(store, outcome.attempt):
        return {"status": SEALED}
    if outcome.status == FAILED:
        return {"status": FAILED, "reason": UNSCORED}
    if outcome.status != SCORED:
        return {"status": SCORING}
    table = attempt_table(store, outcome.run)
    return {
        "status": SCORED,
        "scores": agent_scores(table),
        "meaning": agent_meaning(table),
        "record": outcome.record,
    }


def _shows_hidden(store: Store, attempt: str) -> bool:
    """Whether an attempt at a public split shows what was hidden since."""
    header = attempt_header(store, attempt) if ATTEMPT_ID.fullmatch(attempt) else None
    return header is not None and attempt_shows_hidden(store, header.fields)


@dataclass(frozen=True)
class LocalBackend:
    """The backend of a session in this process: what concerns the store is done here, scoring too, before it answers.

    With `score` false nothing is scored: an operator does that later.
    """

    served: ServedProject
    root: Path  # of the project
    principal: str
    profile: str = "answer"
    score: bool = True
    homes: ModelFolders | None = None
    session: str = ""  # whose keys of start_attempt are its own

    def catalogue(self) -> Mapping[str, Any]:
        """Return the studies that are served; InputError where they are more than one reply may tell of."""
        found = {"studies": catalogue(self.served, self.principal)}
        if len(canonical(found)) > REPLY_BYTES:
            raise InputError(
                f"{len(found['studies'])} studies are more than one reply to an agent may tell of",
                next="serve fewer: name their manifests",
            )
        return found

    def open(self, request: Mapping[str, Any], tools: str) -> OpenedAttempt:
        """Open an attempt, or the one that the same key opened before."""
        return open_files(self.open_view(request, tools))

    def reopen(self, attempt_id: str) -> OpenedAttempt:
        """Open an attempt of this principal again."""
        return open_files(self.reopen_view(attempt_id))

    def open_view(self, request: Mapping[str, Any], tools: str) -> OpenedView:
        """Open an attempt as `open` does, and give its files by their paths, for a process that opens them itself."""
        return open_attempt(self.served, opening(request, tools, self.profile, self.principal, self.session))

    def reopen_view(self, attempt_id: str) -> OpenedView:
        """Return the files of an attempt of this principal by their paths."""
        return reopen_attempt(self.served, attempt_id, self.principal)

    def status(self, attempt_id: str) -> Mapping[str, Any]:
        """Say how far an attempt of this principal is, and score nothing."""
        return told(self._store(), attempt_outcome(self._store(), self._mine(attempt_id)))

    def finish(self, attempt_id: str, *, wait: bool = True) -> Mapping[str, Any]:
        """Score a closed attempt of this principal where nobody has, and say how far it is."""
        store = self._store()
        outcome = attempt_outcome(store, self._mine(attempt_id))
        if self.score and outcome.status == WAITING:
            outcome = self._scored(attempt_id, store)
        return told(store, outcome)

    def score_text(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Score one text for an item of an attempt of this principal."""
        self._mine(str(request["attempt_id"]))
        return score_text(self.served.target, self.root, request, self.homes)

    def _mine(self, attempt_id: str) -> str:
        """Return the id of an attempt back if it is this principal's: any other is unknown here."""
        header = attempt_header(self._store(), attempt_id) if ATTEMPT_ID.fullmatch(attempt_id) else None
        if header is None or header.fields["principal"] != self.principal:
            raise AttemptError("E_UNKNOWN_ATTEMPT", UNKNOWN)
        return attempt_id

    def _scored(self, attempt_id: str, store: Store) -> AttemptOutcome:
        try:
            return score_attempt(self.root, self.served.target, attempt_id, homes=self.homes)
        except Interrupted:
            raise
        except HarnessError as bad:  # whoever may know reads why in the run, or tries it by `harness attempts finish`
            outcome = attempt_outcome(store, attempt_id)
            return replace(outcome, status=FAILED, why=bad.what) if outcome.status == WAITING else outcome

    def _store(self) -> Store:
        return Store.make(self.served.target.store)


def open_files(opened: OpenedView) -> OpenedAttempt:
    """Open the files of an attempt, for whoever takes the descriptors."""
    handles: list[int] = []
    ways = (os.O_RDWR | os.O_APPEND, os.O_RDONLY, os.O_RDONLY)
    try:
        for path, way in zip((opened.transcript, opened.items, opened.media), ways, strict=True):
            handles.append(os.open(path, way | os.O_NOFOLLOW | os.O_CLOEXEC))
    except OSError:
        for handle in handles:
            os.close(handle)
        raise
    transcript, items, media = handles
    return OpenedAttempt(opened.attempt, transcript, items, media, opened.more)
