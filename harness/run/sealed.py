"""Which datasets of a lock the store hides from agents: by the files that they are made of, or by what they ask.

A name, a format or an address of its own makes no other data of a copy: the bytes of a file are compared, whether it is
fetched or lies in the project, and of what is made of a file the questions of its items.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.manifest.lockfile import Lock
from harness.run.attempts.hidden_splits import asked_digests
from harness.run.locking.datasets import FILES
from harness.store.attempts import hidden_data
from harness.store.store import Store
from harness.store.sweep import find_digests

WHY = "it is hidden from agents, who may read a screen"


def sealed_datasets(lock: Lock, store: Store) -> frozenset[str]:
    """Return the datasets of a lock that a split of its manifest, or any manifest of the store, hides from agents."""
    said: Mapping[str, Mapping[str, Any]] = lock.intent["datasets"]
    found = set[str]()
    for one in ((lock.intent.get("agents") or {}).get("splits") or {}).values():
        if one.get("hidden"):
            found |= set(one.get("datasets") or [name for name, made in said.items() if "fetch" not in made])
    marks = list(hidden_data(store))
    hidden, asked = (set[str]().union(*parts) for parts in ([one.files for one in marks], [one.rows for one in marks]))
    if not marks:
        return frozenset(found)
    files = {name: _files(lock, name) for name in said}
    kept = {name for name in said if files[name] & hidden}
    found |= {name for name in said if name in kept or named(said[name]) & kept}
    for name in said if asked else ():
        made_of = files[name].union(*(files.get(one, ()) for one in named(said[name])))
        if made_of and asked & _asked(lock, name, store):  # items of no file are anybody's
            found.add(name)
    return frozenset(found)


def _files(lock: Lock, name: str) -> set[str]:
    """Return the digests of the files of a dataset, as its manifest says them or its lock pins them."""
    pins = [dict(lock.of(FILES).get(one, {})) for one in (name, f"{name}/shots")]
    return find_digests([dict(lock.intent["datasets"][name]), *pins])


def _asked(lock: Lock, name: str, store: Store) -> set[str]:
    """Return the digests of what the items of a dataset ask, if its lock pins items that the store has."""
    pin = lock.of("datasets").get(name, {}).get("items")
    if not pin or store.blobs.state(pin["sha256"]) != "sound":
        return set()
    return asked_digests(store.blobs.deliver(pin["sha256"]))


def named(said: Mapping[str, Any]) -> set[str]:
    """Return the texts in what a manifest says of a dataset, among which are the names of other datasets."""
    found = set[str]()
    for value in said.values():
        values = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else [value]
        found |= {each for each in values if isinstance(each, str)}
    return found
