"""Lookup of recorded runs: the newest run of a manifest, its first event, its lock's levels, and its verdict.

Only runs on the list of runs are read. An older run is not used in place of a newer one that cannot be read.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import DamageError, HarnessError, InputError
from harness.evidence.compare import compare_outputs, overall_verdict, tolerance_text
from harness.evidence.record import FAIL, read_record, self_check
from harness.manifest.load import LoadedManifest
from harness.manifest.lockfile import Lock, load_expect, read_lock
from harness.store.journal import Event
from harness.store.store import Store, list_runs, listing_error, read_start, require_listed


@dataclass(frozen=True)
class NewestRun:
    """The newest run of a manifest, if any, and a newer one that cannot be read and may be of that manifest."""

    run: str = ""
    hidden: str = ""


def newest_runs(store: Store, names: Collection[str]) -> dict[str, NewestRun]:
    """Return the newest run of each manifest of these names, in one pass over the list of runs from its end."""
    found: dict[str, NewestRun] = {}
    hidden = ""
    called: dict[str, str] = {}
    for known in reversed(list_runs(store).values()):
        if len(found) == len(set(names)):
            break
        first_event = read_start(store, known)
        lock = str(first_event["lock"]) if first_event else ""
        if lock not in called:
            called[lock] = _named(store, lock) if lock else ""
        hidden = hidden or ("" if called[lock] else known.run)
        if called[lock] in names:
            found.setdefault(called[lock], NewestRun(known.run, hidden))
    return {name: found.get(name, NewestRun(hidden=hidden)) for name in names}


def newest_run(store: Store, name: str) -> str:
    """Return the id of the newest run of a manifest; raise an error if there is none, or a newer one is unreadable."""
    newest = newest_runs(store, {name})[name]
    if newest.hidden:
        raise listing_error(
            f"run {newest.hidden} cannot be read, and may be the newest", str(store.runs), newest.hidden
        )
    if not newest.run:
        raise InputError(f"no run of {name!r} in this store", where=str(store.root), next="`harness run` its manifest")
    return newest.run


def scoring_run(store: Store, run: str) -> str:
    """Return the run that scored an attempt, given the attempt's id: the first that is complete, else the last try.

    Any other run is returned as it is.
    """
    if not any(one.startswith(f"{run}.") for one in store.run_ids()):
        return run
    tries = [known for known in list_runs(store).values() if known.run == run or known.run.startswith(f"{run}.")]
    complete = (known.run for known in tries if known.ended and read_record(store, known.run).complete)
    return next(complete, "") or (tries[-1].run if tries else run)


def first_event(store: Store, run: str) -> Event:
    """Return a run's first event, with manifest, lock and environment; DamageError if the list of runs differs."""
    event = read_start(store, require_listed(store, run))
    if event is None:
        raise listing_error("this run does not begin as the list of runs says", str(store.journal(run)), run)
    return event


def declared_levels(store: Store, run: str) -> tuple[str, Mapping[str, Any]]:
    """Return the digest of a run's lock, and the comparison levels that this lock declares, by output."""
    lock = run_lock(store, run)
    return lock.sha256, lock.intent["outputs"]


def run_lock(store: Store, run: str) -> Lock:
    """Return the lock that a run was started under; DamageError if the run does not begin as the list of runs says."""
    return read_lock(store.blobs.read(str(first_event(store, run)["lock"])), "lock")


def manifest_name(store: Store, run: str) -> str:
    """Return the name of the manifest of a run; "" if it cannot be read."""
    try:
        return _named(store, str(first_event(store, run)["lock"]))
    except HarnessError:
        return ""


def _named(store: Store, lock: str) -> str:
    try:
        return str(read_lock(store.blobs.read(lock), "lock").intent["name"])
    except (HarnessError, LookupError):
        return ""


def newest_verdict(root: Path, loaded: LoadedManifest, newest: NewestRun) -> str:
    """Return the verdict of a manifest's newest run against its expectation, and whether its own checks fail.

    `damaged` if it or a newer one was damaged; "" if there is none, or it cannot be compared for another reason.
    """
    try:
        store = Store.open(root)
        if newest.hidden:
            return "damaged"
        if not newest.run:
            return ""
        record, lock = read_record(store, newest.run), run_lock(store, newest.run)
    except DamageError:
        return "damaged"
    except HarnessError:
        return ""
    if bool(lock.intent.get("derived")) != bool(loaded.manifest.derived):
        return ""  # the run of a derived manifest says nothing about a written one
    expect = load_expect(loaded.root, loaded.manifest.name)
    verdicts = compare_outputs(record, expect, lock.sha256, lock.intent["outputs"], store.blobs.deliver)
    failing = self_check(record.outputs, store.blobs.deliver) == FAIL
    near = tolerance_text(sum(one.by_tolerance for one in verdicts))
    said = [overall_verdict(record, verdicts), "its own checks fail" if failing else "", near]
    return ", ".join(filter(None, said))
