"""`lock --carry MANIFEST`: moves an expectation to a new lock and code, if an audited run there gives equal outputs.

Equal means the same bytes or, on demand, agreement at each output's level. It never changes what is expected; where
outputs differ beyond that, lock and expectation stay as they were.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from harness.digest import sha256
from harness.errors import InputError
from harness.evidence.audit.reexecution import ReexecutionOptions
from harness.evidence.compare import compare
from harness.evidence.record import FAIL
from harness.files import translating_os_errors
from harness.manifest.load import Loaded
from harness.manifest.lockfile import Expect, expect_path, load_expect, lock_path, save
from harness.run.answers import NO_ERRORS, ErrorLimit
from harness.run.closure import code_root
from harness.run.progress import Progress
from harness.run.recording.accept import expectation
from harness.run.recording.auditing import audit_run
from harness.run.service import FinishedRun, RunTarget, lock_manifest, run_manifest

Tell = Callable[[str], Progress]  # who is told of the steps of a task


@dataclass(frozen=True)
class ChangedOutput:
    """An output that differs from the accepted one: both digests, "" where there is no such output."""

    output: str
    accepted: str
    made: str
    agrees: bool  # at the level that the manifest declares, all the same


@dataclass(frozen=True)
class CarriedExpectation:
    """The result of carrying an expectation: old and new lock, the run, differing outputs, whether it moved."""

    path: Path
    old: str
    new: str
    run: str = ""  # none where the lock that it names is the one that was made
    parted: tuple[ChangedOutput, ...] = ()
    along: bool = False  # whether the expectation names them now


def carry(
    loaded: Loaded, place: RunTarget, tell: Tell, errors: ErrorLimit = NO_ERRORS, *, at_levels: bool = False
) -> CarriedExpectation:
    """Lock a manifest again, run it, and move its expectation to the new lock; on any failure change nothing.

    Where the lock still fits, it is run only if the code of its steps is not what the expectation names. Steps whose
    keys are the same are taken from the store; after a relock of packages, none are. With `at_levels` an
    output of other bytes that agrees at its level is allowed; the expected values stay. Refuses a manifest without an
    expectation, and a run that its audit or `errors` would keep from being accepted.
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
        if new == old.lock_sha256 and not _code_moved(old):
            keep()
            return CarriedExpectation(path, new, new)
        ran = run_manifest(loaded, place, tell(name))
        parted = tuple(_parted(old, ran))
        along = all(at_levels and one.agrees for one in parted)
        if along:
            audited_run = _audited(loaded, place, old, ran, tell(f"audit {name}"), errors)
            save(path, _along(old, audited_run, [one.output for one in parted]).data)
            keep()
    return CarriedExpectation(path, old.lock_sha256, new, ran.record.run, parted, along)


def _code_moved(old: Expect) -> bool:
    """Whether a file of the code that an expectation names is another one here, or gone."""
    here = ((code_root() / name, digest) for name, digest in old.files.items())
    return any(not path.is_file() or sha256(path.read_bytes()) != digest for path, digest in here)


def _audited(
    loaded: Loaded, place: RunTarget, old: Expect, ran: FinishedRun, progress: Progress, errors: ErrorLimit
) -> Expect:
    """Audit a run of the new lock, and give what somebody who accepted it would expect from then on."""
    run = ran.record.run
    jobs = len(os.sched_getaffinity(0))
    how = ReexecutionOptions(budget=math.inf, jobs=jobs, memory=place.choice.memory, progress=progress)
    report = audit_run(ran.store, run, place.choice.images, how, place.stop)
    new = expectation(ran.store, run, report, loaded.root, errors, failing=old.checks == FAIL)
    moved = [output for output, one in new.outputs.items() if one["level"] != old.outputs[output]["level"]]
    if moved:
        raise InputError(
            f"output {moved[0]!r} was accepted at another level than the manifest declares now",
            where=loaded.tree.at(("outputs",)),
            next=f"`harness lock {loaded.path.relative_to(loaded.root)}`, run it, and accept that run",
        )
    return new


def _along(old: Expect, new: Expect, within: Sequence[str]) -> Expect:
    """Let what was expected name another lock and run, and say so; the outputs stay those that were accepted."""
    accepted = old.carried.get("accepted", old.record_sha256)
    carried = {"from": old.lock_sha256, "accepted": accepted, **({"within": [*within]} if within else {})}
    return replace(new, outputs=old.outputs, carried=carried)


def _parted(old: Expect, ran: FinishedRun) -> Iterator[ChangedOutput]:
    here = replace(old, lock_sha256=ran.lock.sha256)
    held = compare(ran.record, here, here.lock_sha256, ran.lock.intent["outputs"], ran.store.blobs.deliver)
    agreed = {one.name for one in held if one.verdict == "agreed"}
    for name in sorted({*old.outputs, *ran.record.outputs}):
        one, two = (str(side.get(name, {}).get("sha256", "")) for side in (old.outputs, ran.record.outputs))
        if one != two:
            yield ChangedOutput(name, one, two, name in agreed)


@contextmanager
def _as_it_was(path: Path) -> Iterator[Callable[[], None]]:
    """Put a file back as it was, or away, unless what is done here says that it is to stay."""
    with translating_os_errors(path):
        before = path.read_bytes() if path.is_file() else None
    kept: list[bool] = []
    try:
        yield lambda: kept.append(True)
    finally:
        if not kept and before is None:
            path.unlink(missing_ok=True)
        elif not kept and before is not None:
            save(path, before)
