"""`lock --carry MANIFEST`: takes an expectation along to a new lock, where a run under it gives equal bytes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.evidence.again import How
from harness.evidence.selfcheck import FAIL
from harness.files import told
from harness.manifest.load import Loaded
from harness.manifest.lockfile import Expect, expect_path, load_expect, lock_path, save
from harness.run.accept import expectation
from harness.run.answers import NONE, Most
from harness.run.project import audited
from harness.run.runner import Progress
from harness.run.service import Place, Ran, lock_manifest, run_manifest


@dataclass(frozen=True)
class Parted:
    """An output that did not come out as it was accepted: both digests, none where there is no such output."""

    output: str
    accepted: str
    made: str


@dataclass(frozen=True)
class Carried:
    """What became of an expectation: the lock it named, the one that was made, and the outputs that part."""

    path: Path
    old: str
    new: str
    run: str = ""  # none where the lock that it names is the one that was made
    parted: tuple[Parted, ...] = ()


def carry(loaded: Loaded, place: Place, run: Progress, audit: Progress, errors: Most = NONE) -> Carried:
    """Lock a manifest anew, run it, and let its expectation name both; unless all is well, all stays as it was.

    What stands in the store under its key is taken from there. Installed packages stand in every key, so that after a
    relock of them every step is made.
    """
    root, name = loaded.root, loaded.manifest.name
    old, path = load_expect(root, name), expect_path(root, name)
    if old is None:
        at = loaded.path.relative_to(root)
        raise InputError(
            f"nothing is expected of {name!r} yet, so there is nothing to take along",
            where=loaded.tree.where,
            next=f"`harness lock {at}`, `harness run {at}`, then `harness lock --accept RUN`",
        )
    with _as_it_was(lock_path(root, name)) as keep:
        new = lock_manifest(loaded, place).lock.sha256
        if new == old.lock_sha256:
            keep()
            return Carried(path, new, new)
        ran = run_manifest(loaded, place, run)
        parted = tuple(_parted(old, ran.record.outputs))
        if not parted:
            save(path, _along(loaded, place, old, ran, audit, errors).data)
            keep()
    return Carried(path, old.lock_sha256, new, ran.record.run, parted)


def _along(loaded: Loaded, place: Place, old: Expect, ran: Ran, progress: Progress, errors: Most) -> Expect:
    """Give the expectation that names a run of the new lock, after an audit of it, as if somebody accepted that run."""
    run = ran.record.run
    how = How(jobs=len(os.sched_getaffinity(0)), progress=progress)
    report = audited(ran.store, run, place.choice.images, how, place.stop)
    new = expectation(ran.store, run, report, loaded.root, errors, failing=old.checks == FAIL)
    moved = [output for output, one in new.outputs.items() if one["level"] != old.outputs[output]["level"]]
    if moved:
        raise InputError(
            f"output {moved[0]!r} was accepted at another level than the manifest declares now",
            where=loaded.tree.at(("outputs",)),
            next=f"`harness lock {loaded.path.relative_to(loaded.root)}`, run it, and accept that run",
        )
    accepted = old.carried.get("accepted", old.record_sha256)
    return replace(new, outputs=old.outputs, carried={"from": old.lock_sha256, "accepted": accepted})


def _parted(old: Expect, made: Mapping[str, Mapping[str, Any]]) -> Iterator[Parted]:
    for name in sorted({*old.outputs, *made}):
        one, two = (str(side.get(name, {}).get("sha256", "")) for side in (old.outputs, made))
        if one != two:
            yield Parted(name, one, two)


@contextmanager
def _as_it_was(path: Path) -> Iterator[Callable[[], None]]:
    """Put a file back as it was, or away, unless what is done here says that it is to stay."""
    with told(path):
        before = path.read_bytes() if path.is_file() else None
    kept: list[bool] = []
    try:
        yield lambda: kept.append(True)
    finally:
        if not kept and before is None:
            path.unlink(missing_ok=True)
        elif not kept and before is not None:
            save(path, before)
