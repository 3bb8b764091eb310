"""Re-execution of steps for an audit: by the installed code, within a time limit, with results kept out of the store.

Each result names the code files, packages and numerics that differ from those of the run.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import json
import secrets
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from harness import seeds
from harness.digest import CHUNK, sha256_file
from harness.errors import HarnessError, MissingError, StepError
from harness.evidence.audit.reexecution import (
    OverBudget,
    RecordedKey,
    Reexecute,
    ReexecuteBatch,
    ReexecutedStep,
    ReexecuteSlice,
    Slice,
    SliceResult,
    is_sliceable,
)
from harness.evidence.explain import Cause, Machine, StepBasis, find_causes, split_threads
from harness.evidence.trail import Environment, closure_files, read_environment
from harness.files import remove_tree
from harness.run.environment import count_cores
from harness.run.executing.execute import READABLE, StepKilled, StepRuntime, StepTask, execute_batch, execute_step
from harness.run.executing.workshop import Workshop
from harness.step_kinds import current_kind
from harness.steps import PROCESSOR, Step, step_key
from harness.store.blobs import Blobs, make_link
from harness.store.events import Preimage
from harness.store.store import Entry, Store

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
