"""`lock --accept RUN` and `lock --carry MANIFEST`: outputs become an expectation, or one moves to a new lock.

A run that is limited, incomplete, of another lock or with too many error rows is never accepted. A run whose own checks
fail is accepted only on demand. An expectation is carried if an audited run under the new lock or code has equal
outputs: the same bytes or, on demand, agreement at each output's level. The expected values never change. If outputs
differ beyond that, lock and expectation stay as they were.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from harness.digest import sha256
from harness.errors import InputError
from harness.evidence.audit.checks import Report
from harness.evidence.audit.reexecution import ReexecutionOptions
from harness.evidence.compare import Level, array_form, compare_outputs, expected_values
from harness.evidence.explain import accepted_run
from harness.evidence.record import FAIL, Digested, read_record, self_check, spell_record
from harness.evidence.trail import read_trail
from harness.files import translating_os_errors, write_atomic
from harness.manifest.datasets import file_coverage
from harness.manifest.documents import Carried, ExpectedOutput
from harness.manifest.load import LoadedManifest
from harness.manifest.lockfile import Expect, arrays_path, expect_path, load_expect, load_lock, lock_path, save_document
from harness.run.closure import code_root
from harness.run.progress import NO_ERRORS, ErrorLimit, Progress, count_errors, errors_over_limit
from harness.run.recorded_runs import manifest_name, run_lock
from harness.run.recording.auditing import audit_run
from harness.run.service import FinishedRun, RunTarget, lock_manifest, run_manifest
from harness.steps import JUDGED
from harness.store.store import Store

ANSWERS = ("responses", JUDGED)  # the stages of the steps in which models answer


@dataclass(frozen=True)
class AcceptedExpectation:
    """The file of an expectation that was written, and the outputs whose digests it changed."""

    path: Path
    changes: list[tuple[str, str, str]]  # output, old, new


def accept_run(
    store: Store, run: str, report: Report, root: Path, errors: ErrorLimit = NO_ERRORS, *, failing: bool = False
) -> AcceptedExpectation:
    """Write the expectation of a complete and audited run of the present lock, with its arrays; return what changed.

    Raises InputError for every run that `expectation` refuses.
    """
    new = make_expectation(store, run, report, root, errors, failing=failing)
    name = manifest_name(store, run)
    old = load_expect(root, name)
    new = replace(new, folder=arrays_path(root, name))
    with _arrays(store, old, new):
        save_document(expect_path(root, name), new.data)
    return AcceptedExpectation(expect_path(root, name), list(_changes(old, new)))


def make_expectation(
    store: Store, run: str, report: Report, root: Path, errors: ErrorLimit = NO_ERRORS, *, failing: bool
) -> Expect:
    """Return the expectation of a complete and audited run of the present lock, without writing it.

    Raises InputError for any other run, for more unanswered rows than `errors` allows, and for failed self-checks
    unless `failing` is true; then the expectation records that they fail.
    """
    record = read_record(store, run)
    require_own(store, run)
    if not record.complete or record.body.get("limit"):
        raise InputError(f"run {run} is not complete", next="run the manifest to its end, without --limit")
    if report.verdict != "agreed":
        flaw = next(check for check in report.checks if check.verdict != "pass")
        raise InputError(
            f"run {run} does not pass its audit: {flaw.id} {flaw.subject} {flaw.detail}",
            next=f"`harness audit {run}` shows all; run the manifest again",
        )
    checks = self_check(record.outputs, store.blobs.deliver)
    if checks == FAIL and not failing:
        raise InputError(
            f"the self-checks of run {run} fail",
            where="output `checks`",
            next="correct what they found; or accept it with --failing-checks",
        )
    trail = read_trail(store, run)
    name = trail.manifest_name
    lock = load_lock(root, name)
    if lock is None or lock.sha256 != trail.started["lock"]:
        raise InputError(f"the lock of {name} has moved since run {run}", next="run the manifest again, then accept")
    answers = [(step.entry.preimage["params"], step.entry) for step in trail.steps.values() if step.stage in ANSWERS]
    if flaws := errors_over_limit(count_errors(store, answers), errors):
        raise InputError(
            f"run {run} has rows without an answer: {flaws[0]}",
            next="correct that and run again, or allow them: --max-errors 12, --max-errors 5%",
        )
    levels = trail.lock.intent["outputs"]
    outputs: dict[str, ExpectedOutput] = {}
    for output, made in record.outputs.items():
        outputs[output] = _expected(output, made["sha256"], levels.get(output, "exact"), store)
    code, files = trail.code()
    said = FAIL if checks == FAIL else ""
    partial = file_coverage(lock.pins["datasets"], partial=True)
    of_run = accepted_run(trail)
    return Expect(
        lock.sha256, sha256(spell_record(record.body)), outputs, code, files, said, partial=partial, run=of_run
    )


def require_own(store: Store, run: str) -> None:
    """Raise InputError for a run of a derived manifest: no one wrote it, so no one expects its outputs."""
    intent = run_lock(store, run).intent
    if origin := intent.get("derived"):
        raise InputError(
            f"run {run} is of {intent['name']}, which is derived from {origin['from']}",
            next="make it a manifest of its own: copy it, name it, take `derived` out; then lock, run and accept that",
        )


def _expected(output: str, digest: str, level: Level, store: Store) -> ExpectedOutput:
    """Return what an expectation keeps of an output; of an array its format, because its file is kept beside."""
    path = store.blobs.deliver(digest)
    try:
        form, values = array_form(level, path), expected_values(level, path)
    except InputError as bad:
        raise InputError(bad.what, where=f"output {output!r}", next=bad.next) from bad
    kept: ExpectedOutput = {"sha256": digest, "level": level, "values": values}
    return {**kept, "array": form} if form else kept


@contextmanager
def _arrays(store: Store, old: Expect | None, new: Expect) -> Iterator[None]:
    """Context manager that writes expected arrays before the expectation names them, and removes old ones after.

    Only arrays that the old expectation named are removed, and nothing behind a link.
    """
    if new.folder.is_symlink():
        raise InputError("a link stands where expected arrays lie", where=str(new.folder), next="remove that link")
    before = {old.array(output) for output, one in old.outputs.items() if "array" in one} if old else set[Path]()
    there = {new.array(output): one["sha256"] for output, one in new.outputs.items() if "array" in one}
    for path, digest in there.items():
        write_atomic(path, store.blobs.read(digest))
    yield
    with translating_os_errors(new.folder):
        for path in before - there.keys():
            path.unlink(missing_ok=True)


def _digest_in(outputs: Mapping[str, Digested], name: str) -> str:
    """Return the digest of an output; empty if there is no such output."""
    return outputs[name]["sha256"] if name in outputs else ""


def _changes(old: Expect | None, new: Expect) -> Iterator[tuple[str, str, str]]:
    before = old.outputs if old else {}
    for name in sorted({*before, *new.outputs}):
        one, two = _digest_in(before, name), _digest_in(new.outputs, name)
        if one != two:
            yield name, one, two


def moved_code(expect: Expect, files: dict[str, str]) -> list[str]:
    """List the code files, of `files` or of the accepted run, whose digests differ or that only one of them has."""
    return sorted(path for path in {*expect.files, *files} if expect.files.get(path) != files.get(path))


Tell = Callable[[str], Progress]  # returns who is told of the steps of a task


@dataclass(frozen=True)
class ChangedOutput:
    """An output that differs from the accepted one: both digests, "" if there is no such output."""

    output: str
    accepted: str
    made: str
    agrees: bool  # nevertheless, at the level that the manifest declares


@dataclass(frozen=True)
class CarriedExpectation:
    """The result of carrying an expectation: old and new lock, the run, differing outputs, whether it moved."""

    path: Path
    old: str
    new: str
    run: str = ""  # empty if lock and code are those that it names
    parted: tuple[ChangedOutput, ...] = ()
    along: bool = False  # whether the expectation names the new lock and run now


def carry_expectation(
    loaded: LoadedManifest, place: RunTarget, tell: Tell, errors: ErrorLimit = NO_ERRORS, *, at_levels: bool = False
) -> CarriedExpectation:
    """Lock a manifest again, run it, and move its expectation to the new lock; on any failure change nothing.

    If the lock still fits, the manifest is run only if the code of its steps is not what the expectation names. Steps
    whose keys are the same are taken from the store; after a relock of packages, none are. With `at_levels` an output
    of other bytes that agrees at its level is allowed; the expected values stay. Raises InputError for a manifest
    without an expectation, and for a run that its audit or `errors` would keep from being accepted.
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
            save_document(path, _along(old, audited_run, [one.output for one in parted]).data)
            keep()
    return CarriedExpectation(path, old.lock_sha256, new, ran.record.run, parted, along)


def _code_moved(old: Expect) -> bool:
    """Whether a code file that an expectation names has other bytes here, or is gone."""
    here = ((code_root() / name, digest) for name, digest in old.files.items())
    return any(not path.is_file() or sha256(path.read_bytes()) != digest for path, digest in here)


def _audited(
    loaded: LoadedManifest, place: RunTarget, old: Expect, ran: FinishedRun, progress: Progress, errors: ErrorLimit
) -> Expect:
    """Audit a run of the new lock, and return the expectation that accepting it would give."""
    run = ran.record.run
    jobs = len(os.sched_getaffinity(0))
    how = ReexecutionOptions(budget=math.inf, jobs=jobs, memory=place.choice.memory, progress=progress)
    report = audit_run(ran.store, run, place.choice.images, how, place.stop)
    new = make_expectation(ran.store, run, report, loaded.root, errors, failing=old.checks == FAIL)
    moved = [output for output, one in new.outputs.items() if one["level"] != old.outputs[output]["level"]]
    if moved:
        raise InputError(
            f"output {moved[0]!r} was accepted at another level than the manifest declares now",
            where=loaded.tree.at(("outputs",)),
            next=f"`harness lock {loaded.path.relative_to(loaded.root)}`, run it, and accept that run",
        )
    return new


def _along(old: Expect, new: Expect, within: Sequence[str]) -> Expect:
    """Return an expectation that names the new lock and run, and says so; the outputs stay those accepted before."""
    accepted = old.carried.get("accepted", old.record_sha256)
    carried: Carried = {"from": old.lock_sha256, "accepted": accepted}
    if within:
        carried["within"] = [*within]
    return replace(new, outputs=old.outputs, carried=carried)


def _parted(old: Expect, ran: FinishedRun) -> Iterator[ChangedOutput]:
    here = replace(old, lock_sha256=ran.lock.sha256)
    held = compare_outputs(ran.record, here, here.lock_sha256, ran.lock.intent["outputs"], ran.store.blobs.deliver)
    agreed = {one.name for one in held if one.verdict == "agreed"}
    for name in sorted({*old.outputs, *ran.record.outputs}):
        one, two = _digest_in(old.outputs, name), _digest_in(ran.record.outputs, name)
        if one != two:
            yield ChangedOutput(name, one, two, name in agreed)


@contextmanager
def _as_it_was(path: Path) -> Iterator[Callable[[], None]]:
    """Context manager that restores a file, or removes it if it is new, unless the yielded function is called."""
    with translating_os_errors(path):
        before = path.read_bytes() if path.is_file() else None
    kept: list[bool] = []
    try:
        yield lambda: kept.append(True)
    finally:
        if not kept and before is None:
            path.unlink(missing_ok=True)
        elif not kept and before is not None:
            save_document(path, before)
