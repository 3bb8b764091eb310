"""The benchmarks that agents are served: their locks, and why a split is not open to an agent.

Independent of items, answers and protocols.
"""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from harness.digest import walk_values
from harness.errors import HarnessError, InputError, MissingError
from harness.manifest.datasets import Fetched
from harness.manifest.load import LoadedManifest
from harness.manifest.lockfile import Lock, load_lock
from harness.manifest.schema import manifest_splits
from harness.run.attempts.hidden_splits import shows_hidden
from harness.run.lock import changed_pins
from harness.run.locking.models import MODELS
from harness.run.service import RunTarget
from harness.store.blobs import is_digest
from harness.store.store import Store

_PARTS = ("", "format", "heads.jsonl", "runs", "views", "blobs/sha256", "keys", "imported", "tmp")
_UNREADABLE, _READABLE, _FAILED = 0, 1, 2
NOBODY = "give --agent-uid N: the user that the agent runs as, who cannot read the store"


def gold_reachable(store: Store, uid: int | None, digests: Iterable[str] = ()) -> bool:
    """Whether an agent's user could read the store, or one of some blobs in it; True if the user is not known."""
    if uid is None or uid in (0, os.geteuid()) or os.geteuid() != 0:
        return True
    paths = [store.root / part for part in _PARTS] + [store.blobs.path(digest) for digest in digests]
    return _tried(uid, paths) != _UNREADABLE


def require_agent_uid(store: Store, uid: int) -> None:
    """Raise MissingError if a user can read the store, or if that cannot be tried because we are not root."""
    if os.geteuid() != 0:
        raise MissingError(
            f"whether user {uid} can read the store cannot be tried: only root can become another user",
            next="serve as root, or leave --agent-uid out and serve public splits alone",
        )
    if gold_reachable(store, uid):
        raise MissingError(
            f"user {uid} can read the store, and so every hidden answer",
            where=str(store.root),
            next=f"close it (`chmod 700 {store.root}`), or {NOBODY}",
        )


def _tried(uid: int, paths: list[Path]) -> int:
    """Try to open each path as another user, in a child process; return the child's exit code."""
    child = os.fork()
    if child == 0:
        result = _FAILED
        try:
            result = _try(uid, paths)
        finally:
            os._exit(result)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _try(uid: int, paths: list[Path]) -> int:
    try:
        person = pwd.getpwuid(uid)
        group, groups = person.pw_gid, os.getgrouplist(person.pw_name, person.pw_gid)
    except KeyError:
        group, groups = uid, []
    os.setgroups(groups)
    os.setresgid(group, group, group)
    os.setresuid(uid, uid, uid)
    for path in paths:
        try:
            os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
        except OSError:
            continue
        return _READABLE
    return _UNREADABLE


NO_USER = "hidden splits are served only where the agent runs as a user that cannot read the answers"
CLOSED_DATA = "this split is closed: an operator has to see to its data"
NOT_READY = "this benchmark is not ready: an operator has to lock it"


@dataclass(frozen=True)
class ServedProject:
    """What a server serves: manifests of one project, where views are made, and the user that the agent runs as."""

    target: RunTarget
    manifests: tuple[LoadedManifest, ...]
    agent_uid: int | None = None  # None: the agent may be the user who serves

    @property
    def names(self) -> list[str]:
        """The names of the served manifests, by which agents call them."""
        return [loaded.manifest.name for loaded in self.manifests]

    def find(self, name: str) -> LoadedManifest | None:
        """Return a served manifest by its name, or None."""
        return next((loaded for loaded in self.manifests if loaded.manifest.name == name), None)


def served_lock(loaded: LoadedManifest) -> Lock:
    """Return the lock under which a manifest is served; raise InputError if there is none, or if it does not fit.

    Models are not compared and need not be here, because an agent answers in their place.
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


def ready_lock(loaded: LoadedManifest) -> Lock | None:
    """Return the lock under which a manifest is served; None if an operator has to do something first."""
    try:
        return served_lock(loaded)
    except HarnessError:
        return None


def why_closed(
    served: ServedProject, loaded: LoadedManifest, split: str, store: Store | None, lock: Lock | None
) -> str:
    """Return why an agent cannot attempt a split, without a path or a name of data; empty if it can."""
    if lock is None:
        return NOT_READY
    if manifest_splits(loaded.manifest)[split].hidden and _reachable(served, loaded, lock, store):
        return NO_USER
    if store is not None and shows_hidden(store, loaded, lock, split):
        return CLOSED_DATA
    return ""


def _reachable(served: ServedProject, loaded: LoadedManifest, lock: Lock, store: Store | None) -> bool:
    """Whether the agent's user could read what is hidden; True if there is no store yet or the user is not known."""
    if store is None or served.agent_uid is None:
        return True
    private = (one.sha256 for one in loaded.manifest.datasets.values() if isinstance(one, Fetched) and one.private)
    pinned = (value for _, value in walk_values(lock.pins["datasets"]) if isinstance(value, str) and is_digest(value))
    return gold_reachable(store, served.agent_uid, {*filter(None, private), *pinned})
