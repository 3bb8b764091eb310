"""Audit of a run with the planner, engine and code installed here, and against the working files of the project.

No code that is stored with a run is executed. Steps are executed again by the installed code, within a time limit, with
results kept out of the store; each result names the code files, packages and numerics that differ from those of the
run.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import json
import os
import secrets
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from harness import seeds
from harness.digest import CHUNK, differing_pointers, sha256, sha256_file
from harness.engines.engine import NO_IMAGE
from harness.errors import HarnessError, MissingError, StepError
from harness.evidence.attest import Authorship, envelope_path, find_author
from harness.evidence.audit.audit import InstalledHarness, audit_stored_run
from harness.evidence.audit.checks import UNCONFIRMED, UNSIGNED, Report
from harness.evidence.audit.reexecution import (
    OverBudget,
    RecordedKey,
    Reexecute,
    ReexecuteBatch,
    ReexecutedStep,
    ReexecuteSlice,
    ReexecutionOptions,
    Slice,
    SliceResult,
    is_sliceable,
)
from harness.evidence.bundle import Bundle
from harness.evidence.compare import compare_outputs, tolerance_text
from harness.evidence.explain import (
    Cause,
    Machine,
    StepBasis,
    find_causes,
    find_first_difference,
    name_processor,
    processor_change,
    split_threads,
)
from harness.evidence.keys import TrustedKey, current_day
from harness.evidence.record import read_record
from harness.evidence.trail import Environment, Trail, closure_files, read_environment, read_trail
from harness.files import remove_tree
from harness.manifest.load import LoadedManifest, parse_manifest
from harness.manifest.lockfile import Lock, expect_path, load_expect, lock_path, read_lock
from harness.manifest.schema import Resources
from harness.run.closure import Code
from harness.run.engines import EngineChoice, engine_kinds, engine_of_run, step_limits, within_disk
from harness.run.environment import count_cores, machine_facts
from harness.run.executing.execute import READABLE, StepKilled, StepRuntime, StepTask, execute_batch, execute_step
from harness.run.executing.workshop import Workshop
from harness.run.installed.checked import InstallCheck
from harness.run.installed.checked import check_once as look_at_packages
from harness.run.locking.certificates import audit_certificates
from harness.run.planning.plan import check_parts, make_plan
from harness.run.progress import stop_on_signals
from harness.run.receipt import impossible_claims, list_escaped
from harness.run.recorded_runs import declared_levels, first_event
from harness.step_kinds import current_kind
from harness.steps import PROCESSOR, Computing, Plan, Step, step_key
from harness.store.blobs import Blobs, make_link
from harness.store.journal import Preimage
from harness.store.store import Entry, Store
from harness.studies.registry import find

MOST_KEPT = 4 << 30  # bytes of inputs that an audit keeps private copies of; further inputs are copied at each use
ROW = ("item", "template", "model", "sample")  # the fields that identify an answer and its scores
RowKey = tuple[Any, ...]


def step_reexecutor(workshop: Workshop, processor: str = "") -> Reexecute:
    """Return the function by which an audit executes one step again on this machine, in a folder of its own.

    `processor` names both processors if this one is not that of the run. The function raises MissingError for a step
    that calls a provider, or needs cores, a device or a class of processor that are not here. It raises OverBudget past
    its time. Any other failure is reported in its result.
    """
    other = _other(workshop)

    def again(step: Step, parts: Preimage, seconds: float) -> ReexecutedStep:
        if step.calls:
            raise MissingError(
                "this step asked models elsewhere", next="`tape: replay`, and run again: equal digests say more"
            )
        here = workshop.setting
        if _too_wide(workshop, step):
            raise MissingError(
                f"this step computed in {workshop.threads} threads, and here are {count_cores()} cores",
                next="audit it on a machine that has as many",
            )
        if _elsewhere(workshop, parts):
            raise MissingError(
                f"this step computed by what its processor does best ({parts['numerics'][PROCESSOR]}), "
                f"and here is {workshop.processor.kind or 'another'}",
                next="audit it on a machine of that class; `numerics: portable` gives equal bytes on all",
            )
        if step.infers and parts["device"] != here.device:
            raise MissingError(
                f"this step computed on {parts['device']}, and here is {here.device}",
                next="audit it on a machine with such a device",
            )
        found = _made(workshop, step, parts["inputs"], other(step, parts), seconds)
        return replace(found, processor=processor)

    return again


def batch_reexecutor(workshop: Workshop) -> ReexecuteBatch:
    """Return the function by which an audit executes steps of the same code in one process.

    It returns results only for steps that succeeded, and none at all if the batch itself failed.
    """
    other = _other(workshop)

    def again(steps: Sequence[RecordedKey], seconds: float) -> Mapping[str, ReexecutedStep]:
        if any(_too_wide(workshop, step) or _elsewhere(workshop, parts) for step, parts in steps):
            return {}
        runtime = _timed(workshop.runtime(steps[0][0]), seconds)
        tasks = [_task(workshop, step, parts["inputs"]) for step, parts in steps]
        folder = _folder(workshop.store)
        try:
            made = execute_batch(tasks, workshop.store, runtime, folder)
            sound = [(step, parts) for step, parts in steps if step.name in made]
            return {step.name: ReexecutedStep(made[step.name], other(step, parts)) for step, parts in sound}
        except HarnessError:
            return {}  # executing each of them alone shows what is wrong
        finally:
            remove_tree(folder)

    return again


def slice_reexecutor(workshop: Workshop) -> ReexecuteSlice:
    """Return the function by which an audit makes again some rows of a step that scores answers one by one.

    The step gets answers drawn by lot, and everything else as the run had it. Their scores must be those that the run
    recorded, byte for byte. The function raises OverBudget past its time.
    """
    other = _other(workshop)

    def again(step: Step, parts: Preimage, wanted: Slice, seconds: float) -> SliceResult:
        blobs, folder = workshop.store.blobs, _folder(workshop.store)
        drawn: dict[RowKey, int] = {}
        try:
            if _too_wide(workshop, step) or _elsewhere(workshop, parts):
                return SliceResult(frozenset())
            answers, place = folder / "answers", folder / "made"
            drawn = _draw(blobs.deliver(str(parts["inputs"]["responses"])), answers, wanted)
            if not drawn:
                return SliceResult(frozenset())
            place.mkdir()
            task = replace(_task(workshop, step, parts["inputs"]), given={"responses": answers})
            _execute(task, workshop, _timed(workshop.runtime(step), seconds), place)
            recorded = blobs.deliver(_recorded(workshop, parts, "scores"))
            differs = _first_other(_rows_of(place / "out" / "scores", drawn), _rows_of(recorded, drawn))
        except StepError as bad:
            differs = f"some of its rows cannot be made again: {bad.what}"
        except (ValueError, RecursionError, AttributeError):
            differs = "its answers or its scores are no rows"
        finally:
            remove_tree(folder)
        return SliceResult(frozenset(drawn.values()), differs, other(step, parts))

    return again


def _recorded(workshop: Workshop, parts: Preimage, output: str) -> str:
    """Return the digest that a run recorded for an output of a step."""
    entry = workshop.store.entries.get(step_key(parts))
    if entry is None:
        raise MissingError("the entry of this step is gone", next="`harness fsck` says more")
    return entry.outputs[output].sha256


def row_counter(store: Store) -> Callable[[Step, Entry], int]:
    """Return the function that counts the rows a step made: lines of its tables, and one for anything else.

    For a step that scores answers one by one it counts the answers, because a scorer may give several scores for each.
    """

    def count(step: Step, entry: Entry) -> int:
        if is_sliceable(step):
            return _lines(store, str(entry.preimage["inputs"]["responses"]))
        return sum(_lines(store, output.sha256) for output in entry.outputs.values())

    return count


def _lines(store: Store, digest: str) -> int:
    try:
        with store.blobs.tree.open_file(store.blobs.path(digest)) as file:
            first = file.read(CHUNK)
            if not first.startswith(b"{"):
                return 1
            return first.count(b"\n") + sum(block.count(b"\n") for block in iter(lambda: file.read(CHUNK), b""))
    except (HarnessError, OSError):
        return 1  # what cannot be read is named by the check of its bytes


def _draw(responses: Path, target: Path, wanted: Slice) -> dict[RowKey, int]:
    """Write answers drawn by lot into a file, in their order; return the number of each by what identifies it."""
    with open(responses, "rb") as lines:
        rest = [number for number, _ in enumerate(lines) if number not in wanted.before]
    chosen = set(seeds.draw_sample(seeds.random_stream(wanted.seed), rest, wanted.rows))
    drawn: dict[RowKey, int] = {}
    with open(responses, "rb") as lines, open(target, "wb") as out:
        for number, line in enumerate(lines):
            if number in chosen:
                drawn[_row_key(json.loads(line))] = number
                out.write(line)
    return drawn


def _row_key(row: Mapping[str, Any]) -> RowKey:
    return tuple(row.get(name) for name in ROW)


def _rows_of(scores: Path, drawn: Mapping[RowKey, int]) -> Iterator[tuple[RowKey, bytes]]:
    """Yield the rows of a table of scores that belong to the answers drawn."""
    with open(scores, "rb") as lines:
        for line in lines:
            if (row := _row_key(json.loads(line))) in drawn:
                yield row, line


def _first_other(made: Iterator[tuple[RowKey, bytes]], recorded: Iterator[tuple[RowKey, bytes]]) -> str:
    """Return the first score that differs from the recorded one; empty if all are the same bytes."""
    for one, two in zip_longest(made, recorded):
        if one != two and (either := one or two):
            return f"output scores, item {str(either[0][0])[:80]}"
    return ""


def _too_wide(workshop: Workshop, step: Step) -> bool:
    """Whether a step computes in more threads than there are cores: libraries would silently use fewer here."""
    return step.in_threads and workshop.threads > count_cores()


def _elsewhere(workshop: Workshop, parts: Preimage) -> bool:
    """Whether a step adapted to a processor that is of another class than the one here."""
    return PROCESSOR in parts["numerics"] and parts["numerics"][PROCESSOR] != workshop.processor.kind


def _task(workshop: Workshop, step: Step, inputs: Mapping[str, str | list[str]]) -> StepTask:
    now = replace(step, kind=current_kind(step.kind))  # older runs have it under another name
    return StepTask(now, inputs, workshop.code.closure(now.kind), workshop.code.sources)


def _timed(runtime: StepRuntime, seconds: float) -> StepRuntime:
    return replace(runtime, limits=replace(runtime.limits, seconds=min(seconds, runtime.limits.seconds)))


def _made(
    workshop: Workshop, step: Step, inputs: Mapping[str, str | list[str]], other: tuple[Cause, ...], seconds: float
) -> ReexecutedStep:
    folder = _folder(workshop.store)
    try:
        _execute(_task(workshop, step, inputs), workshop, _timed(workshop.runtime(step), seconds), folder)
        return ReexecutedStep({output: sha256_file(folder / "out" / output)[0] for output in step.outputs}, other)
    except StepError as bad:
        return ReexecutedStep({}, other, bad.what)
    finally:
        remove_tree(folder)


def _execute(task: StepTask, workshop: Workshop, timed: StepRuntime, folder: Path) -> None:
    """Execute a step in a folder; raise OverBudget if it took longer than the audit may.

    Raises MissingError if it took longer than a run may, or was killed. How fast a machine is, and how much memory
    other programs leave there, says nothing about what a run made.
    """
    within, began = timed.limits.seconds, time.monotonic()
    try:
        execute_step(task, workshop.store, timed, folder)
    except StepKilled as bad:
        raise MissingError(
            f"{bad.what}: this machine may have run out of memory",
            where=task.step.kind,
            next="audit again where more of it is free",
        ) from bad
    except StepError as bad:
        if time.monotonic() - began < within:
            raise
        if within < workshop.runtime(task.step).limits.seconds:
            raise OverBudget(bad.what) from bad
        raise MissingError(
            f"step {task.step.name} took more than the {within:g} s that its manifest allows: this machine is slower "
            "than the one of the run, or busy",
            where=task.step.kind,
            next="audit again where less else is going on",
        ) from bad


class PrivateBlobs(Blobs):
    """The blobs of a store under audit, each given to steps as a copy that the store's owner cannot reach.

    Otherwise the owner could exchange an input between its check and its use, and a forged output would be confirmed.
    """

    def __init__(self, blobs: Blobs, folder: Path) -> None:
        super().__init__(blobs.tree)
        self._folder, self._lock, self._room = folder, threading.Lock(), MOST_KEPT
        folder.mkdir()

    def link_to(self, digest: str, target: Path) -> bool:
        """Link the private copy of a blob to a new name; return False if so much was copied that no more is kept."""
        kept = self._folder / digest
        with self._lock:
            if not kept.exists():
                size = self.size(digest)
                if size > self._room:
                    return False
                self.copy_to(digest, kept, READABLE, size)
                self._room -= size
        return make_link(kept, target)


@contextlib.contextmanager
def private_store(store: Store) -> Iterator[Store]:
    """Context manager that yields a store whose blobs reach steps as private copies; nothing is written into it.

    Its `temp`, where steps are executed again, is a folder of this machine, and never one of the store under audit.
    """
    with tempfile.TemporaryDirectory(prefix="harness-audit-") as name:
        folder = Path(name)
        folder.chmod(0o711)  # a step that is another user may enter
        mine = copy.copy(store)
        mine.blobs = PrivateBlobs(store.blobs, folder / "blobs")
        mine.temp = folder
        try:
            yield mine
        finally:
            for path in folder.iterdir():
                remove_tree(path)


def _folder(store: Store) -> Path:
    """Make a private folder for one step."""
    path = store.temp / f"step-{secrets.token_hex(8)}"
    path.mkdir(0o700)
    return path


def _other(workshop: Workshop) -> Callable[[Step, Preimage], tuple[Cause, ...]]:
    """Return the function that names what is different here from the run of a step."""
    here, blobs = workshop.setting, workshop.store.blobs

    @functools.cache
    def environments(digest: str) -> tuple[Environment, Environment]:
        """Return the environments of a run and of this machine; both empty if they are the same."""
        if digest == here.environment:
            return {}, {}
        return read_environment(blobs.read(digest), "run"), read_environment(workshop.environment, "here")

    def other(step: Step, parts: Preimage) -> tuple[Cause, ...]:
        code, ran = workshop.code.closure(current_kind(step.kind)), str(parts["code"])
        same, (then, now) = code.digest == ran, environments(str(parts["environment"]))
        files = {} if same else closure_files(blobs.read(ran), "code")
        before = StepBasis({}, {}, _machine(then, parts["numerics"]), files)
        after = StepBasis({}, {}, _machine(now, here.numerics_of(step)), {} if same else code.files)
        return tuple(find_causes(before, after))

    return other


def _machine(environment: Environment, numerics: Mapping[str, str]) -> Machine:
    """Describe what a step is executed with; processors are reported apart, and devices must be the same."""
    threads, rest = split_threads(numerics)
    return Machine("", str(environment.get("image", "")), "", threads, rest, environment)


BOUNDED = "resources.bounded"  # the check that says what a manifest asks for and its steps did not get
EXPECTED = "expect"  # the subject of the check that outputs are what is expected


def replan_run(data: bytes, lock: Lock, limit: int) -> Plan:
    """Plan a recorded run again, from its manifest's bytes and its lock."""
    manifest, tree = parse_manifest(data, "manifest")
    loaded = LoadedManifest(manifest, data, tree, Path("manifest"), Path())
    return make_plan(check_parts(loaded), lock, limit)


def audit_files(store: Store, run: str, loaded: LoadedManifest, report: Report) -> None:
    """Compare a run with the manifest, lock and expectation as they are in the project; add checks to a report."""
    try:
        begin = first_event(store, run)
        if begin["manifest"] != loaded.sha256:
            ran = parse_manifest(store.blobs.read(begin["manifest"]), "manifest")[0]
            pointers = list(differing_pointers(ran.intent(), loaded.manifest.intent())) or ["its text, not its meaning"]
            report.settle("manifest.changed", loaded.path.name, pointers)
        path = lock_path(loaded.root, loaded.manifest.name)
        data = path.read_bytes() if path.is_file() else b""
        if sha256(data) != begin["lock"]:
            report.settle("lock.changed", path.name, _pointers(store.blobs.read(begin["lock"]), data))
        _expected(store, run, loaded, report)
    except HarnessError as bad:
        report.skip(
            "expect.changed", loaded.path.name, f"the working files cannot be held against this run: {bad.what}"
        )


def expectation_author(root: Path, name: str, trusted: Sequence[TrustedKey]) -> Authorship | None:
    """Return who signed for the expectation of a manifest as it is now; None if nothing is expected."""
    if not expect_path(root, name).is_file():
        return None
    try:
        return find_author(root, name, trusted, current_day())
    except HarnessError as bad:
        return Authorship(flaw=bad.what)


def audit_author(root: Path, name: str, trusted: Sequence[TrustedKey], report: Report) -> None:
    """Report whether an author that the reviewer trusts signed for the expectation of a manifest as it is now.

    An expectation that was edited after it was signed, with or without the code that it goes with, fails.
    """
    path, found = expect_path(root, name), expectation_author(root, name, trusted)
    if not found:
        return  # that nothing is expected is said already
    if found.party:
        report.held(UNSIGNED, path.name, found.text)
    elif found.moved:
        report.fail(UNSIGNED, path.name, found.flaw)
    else:
        how = f"`harness attest --expect MANIFEST` writes {envelope_path(path).name}"
        report.skip(UNSIGNED, path.name, f"{found.flaw}; {how}")


def _expected(store: Store, run: str, loaded: LoadedManifest, report: Report) -> None:
    """Compare the outputs of a run with the expectation, whatever else was found; without one none is confirmed."""
    where = expect_path(loaded.root, loaded.manifest.name).name
    try:
        expect = load_expect(loaded.root, loaded.manifest.name)
    except HarnessError as bad:
        report.fail("expect.changed", where, bad.what)
        return
    record = read_record(store, run)
    if limit := record.body.get("limit"):
        report.skip("expect.changed", where, f"the run was limited to {limit} items of each dataset")
        return
    verdicts = compare_outputs(record, expect, *declared_levels(store, run), store.blobs.deliver)
    if any(one.verdict == "unconfirmed" for one in verdicts):
        report.skip(UNCONFIRMED, where, "no run was accepted under this lock: `harness lock --accept RUN`")
    flaws = [f"{one.name}: {one.verdict} {one.detail}" for one in verdicts if one.verdict in ("disagreed", "missing")]
    report.settle("output.differs", EXPECTED, flaws, tolerance_text(sum(one.by_tolerance for one in verdicts)))
    if expect and not report.cause and any(one.verdict != "agreed" or one.detail for one in verdicts):
        with contextlib.suppress(HarnessError):  # what cannot be read is named by the checks before
            trail = read_trail(store, run)
            report.cause = find_first_difference(trail, expect, _planned_order(trail))


def _planned_order(trail: Trail) -> Sequence[str]:
    """Return the names of a run's steps in the order of its plan; as they finished, if it cannot be planned here."""
    try:
        manifest, limit = trail.store.blobs.read(trail.started["manifest"]), int(trail.started.get("limit", 0))
        return [step.name for step in replan_run(manifest, trail.lock, limit).steps]
    except HarnessError:
        return list(trail.steps)


def _pointers(old: bytes, new: bytes) -> list[str]:
    """List the fields at which two documents differ, or say that the newer one is missing or damaged."""
    try:
        return list(differing_pointers(json.loads(old), json.loads(new))) or ["its spelling"]
    except ValueError:
        return ["it is missing" if not new else "it is not JSON"]


def audit_run(
    store: Store,
    run: str,
    images: Path | None = None,
    how: ReexecutionOptions | None = None,
    stop: threading.Event | None = None,
    bundle: Bundle | None = None,
) -> Report:
    """Audit one run with the installed planner, engine and code and, except at level `hashes`, check the packages.

    `images` is the store that holds images. If the run's image cannot be had, steps are executed again without it.
    `bundle` is what the store was unpacked from, if it was.
    """
    how = how or ReexecutionOptions(jobs=len(os.sched_getaffinity(0)))
    with ThreadPoolExecutor(1) as reader:  # packages are read while steps are executed again
        look = reader.submit(look_at_packages, full=True) if how.level != "hashes" else None
        report = _audited(store, run, images or store.root, how, stop, bundle)
        _containment(store, run, report)
        _shipped(store, run, report)
        audit_certificates(store, run, report)
        if look:
            _packages(look.result(), report)
    return report


def _packages(look: InstallCheck, report: Report) -> None:
    """Report whether the packages here are as installed and locked, because steps executed again depend on them."""
    for one in look.altered:
        kinds = {"file": report.fail, "unread": report.held, "version": report.skip, "unlocked": report.held}
        tell = kinds[one.kind]
        tell("package.changed", one.path, f"{one.why}; no step reads it" if one.kind == "unread" else one.why)
    cost = f"{look.files:,} files, {look.bytes >> 20:,} MiB read in {look.wall:.1f} s"
    report.held("package.changed", "packages", f"{cost}; {len(look.altered)} are not as they were installed or locked")
    report.packages = {"files": look.files, "bytes": look.bytes, "cpu_ms": round(1000 * look.cpu)}


def _containment(store: Store, run: str, report: Report) -> None:
    """Report an isolation that did not keep what it claims, by the run's own record; no run continues after that."""
    with contextlib.suppress(HarnessError):
        found = first_event(store, run)["facts"].get("containment")
        if found is None:
            return  # an older run tried none
        flaws = list(impossible_claims(found)) or [f"its steps could reach {what}" for what in list_escaped(found)]
        report.settle("unaccounted", "containment", flaws)


def _shipped(store: Store, run: str, report: Report) -> None:
    """Compare the wordings that a run pinned under a shipped name with those that are shipped under it here."""
    with contextlib.suppress(HarnessError):
        lock = read_lock(store.blobs.read(first_event(store, run)["lock"]), "lock")
        sets = find(str(lock.intent["study"])).prompt_sets
        for name, pin in lock.pins.get("prompts", {}).items():
            if name in sets and sha256(sets[name].read_bytes()) != pin.get("sha256"):
                report.skip("pin.differs", name, "the installed harness ships other wordings under this name")


def _audited(
    store: Store, run: str, images: Path, how: ReexecutionOptions, stop: threading.Event | None, bundle: Bundle | None
) -> Report:
    code = Code()
    installed = InstalledHarness(replan_run, lambda kind: code.closure(current_kind(kind)).files, recordable_isolations)
    with private_store(store) as private:
        try:
            workshop, processor = _workshop_of(private, run, images, stop, how.memory)
        except MissingError as bad:
            why = bad

            def unable(step: Step, parts: Preimage, seconds: float) -> ReexecutedStep:
                raise why

            return audit_stored_run(store, run, installed, replace(how, one=unable), bundle)
        with stop_on_signals(workshop.cancel):
            hands = replace(
                how,
                one=step_reexecutor(workshop, processor),
                batch=batch_reexecutor(workshop),
                slice=slice_reexecutor(workshop),
                rows=row_counter(store),
            )
            report = audit_stored_run(store, run, installed, hands, bundle)
        if workshop.limits.beyond and how.level != "hashes":
            report.held(BOUNDED, "memory", workshop.limits.beyond)
        return report


def recordable_isolations(engine: str) -> Collection[str] | None:
    """Return the isolations that an engine can write into a journal; None if it is not installed."""
    kind = engine_kinds().get(engine)
    return None if kind is None else (kind.isolations or (kind.only,))


def _workshop_of(
    store: Store, run: str, images: Path, stop: threading.Event | None, memory: int
) -> tuple[Workshop, str]:
    """Return a workshop in which the steps of a run can be executed again: its engine and image, and its limits.

    If no engine for its image can be had, this machine is used: equal bytes prove as much. The text names both
    processors if this one is not that of the run.
    """
    ran: Mapping[str, Any] = {}
    try:
        begin = store.read_journal(run).events[0]
        ran = begin["facts"]
        manifest = parse_manifest(store.blobs.read(begin["manifest"]), "manifest")[0]
        resources, computing = manifest.resources, Computing(manifest.resources.threads, manifest.numerics)
        image = str(begin["image"])
        seen = store.blobs.read(begin["environment"]) if image != NO_IMAGE else None
    except (HarnessError, LookupError):
        resources, image, seen, computing = (
            Resources(),
            NO_IMAGE,
            None,
            Computing(),
        )  # the audit itself says what is wrong
    choice = EngineChoice(images=images)
    try:
        engine = engine_of_run(choice, image, resources)
    except MissingError:
        if image == NO_IMAGE:
            raise
        engine, seen = engine_of_run(choice, NO_IMAGE, resources), None
    allowed = within_disk(step_limits(resources, memory), store.root)
    shop = Workshop(store, engine, allowed, environment=seen, computing=computing, cancel=stop)
    here = {
        name: value for name, value in machine_facts(shop.processor).items() if name in ran
    }  # an older run says less
    return shop, processor_change(name_processor(ran), name_processor(here))
