"""Offers to agents: the studies that are served, what their splits hold, and how many attempts one principal has left.

It counts prompts from what locks pin, before any view is made. It must never know an item's text or an answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from harness import rows
from harness.errors import HarnessError
from harness.manifest.agent_splits import splits
from harness.manifest.load import Loaded
from harness.manifest.lockfile import Lock
from harness.rowtypes import Item, Prompt
from harness.run.attempt_headers import attempts_used
from harness.run.attempt_prompts import PROMPTS, dataset_of
from harness.run.attempt_view import ViewSpec, planned_view, view_spec
from harness.run.closure import code_root
from harness.run.served import NOT_READY, ServedProject, ready_lock, why_closed
from harness.steps import Pinned, Step
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
