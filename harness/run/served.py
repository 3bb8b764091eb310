"""The benchmarks that agents are served: which they are, what each split holds, and why one is not open to an agent.

It must never know an item, an answer or a protocol.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from harness.digest import walk
from harness.errors import HarnessError, InputError
from harness.manifest.agent_splits import splits
from harness.manifest.datasets import Fetched
from harness.manifest.load import Loaded
from harness.manifest.lockfile import Lock, load_lock
from harness.run.agent_uid import gold_reachable
from harness.run.hidden_splits import shows_hidden
from harness.run.lock import changed_pins
from harness.run.named_models import MODELS
from harness.run.service import RunTarget
from harness.store.blobs import is_digest
from harness.store.store import Store

NO_USER = "hidden splits are served only where the agent runs as a user that cannot read the answers"
CLOSED_DATA = "this split is closed: an operator has to see to its data"
NOT_READY = "this benchmark is not ready: an operator has to lock it"


@dataclass(frozen=True)
class ServedProject:
    """What a server serves: manifests of one project by their names, where views are made, and the agent's user."""

    target: RunTarget
    manifests: tuple[Loaded, ...]
    agent_uid: int | None = None  # none: the agent may be whoever serves

    @property
    def names(self) -> list[str]:
        """Names of the served manifests, by which agents call them."""
        return [loaded.manifest.name for loaded in self.manifests]

    def find(self, name: str) -> Loaded | None:
        """Find a served manifest by its name."""
        return next((loaded for loaded in self.manifests if loaded.manifest.name == name), None)


def served_lock(loaded: Loaded) -> Lock:
    """Give the lock under which a manifest is served; InputError where it does not fit, its models aside.

    An agent answers in their place, so models need not be here.
    """
    lock = load_lock(loaded.root, loaded.manifest.name)
    if lock is None:
        raise InputError("this manifest has no lock", where=loaded.tree.where, next="`harness lock` it")
    alone = replace(loaded, manifest=loaded.manifest.model_copy(update={MODELS: {}}))
    held = replace(lock, intent={**lock.intent, MODELS: {}}, pins={**lock.pins, MODELS: {}})
    if moved := changed_pins(alone, held):
        raise InputError(
            f"the lock no longer fits the manifest; moved: {', '.join(moved[:8])}",
            where=loaded.tree.where,
            next="`harness lock` it again",
        )
    return lock


def ready_lock(loaded: Loaded) -> Lock | None:
    """Give the lock under which a manifest is served; None where an operator has to do something first."""
    try:
        return served_lock(loaded)
    except HarnessError:
        return None


def why_closed(served: ServedProject, loaded: Loaded, split: str, store: Store | None, lock: Lock | None) -> str:
    """Say why an agent cannot attempt a split, without a path or a name of data; empty where it can."""
    if lock is None:
        return NOT_READY
    if splits(loaded.manifest)[split].hidden and _reachable(served, loaded, lock, store):
        return NO_USER
    if store is not None and shows_hidden(store, loaded, lock, split):
        return CLOSED_DATA
    return ""


def _reachable(served: ServedProject, loaded: Loaded, lock: Lock, store: Store | None) -> bool:
    """Whether the agent's user could read what is hidden; a store that is not there yet is closed to nobody."""
    if store is None or served.agent_uid is None:
        return True
    private = (one.sha256 for one in loaded.manifest.datasets.values() if isinstance(one, Fetched) and one.private)
    pinned = (value for _, value in walk(lock.pins["datasets"]) if isinstance(value, str) and is_digest(value))
    return gold_reachable(store, served.agent_uid, {*filter(None, private), *pinned})
