"""Re-execution of steps for an audit: by the installed code, within a time limit, with results kept out of the store.

Each result names the code files, packages and numerics that are not those of the run.
"""

from __future__ import annotations

import functools
import os
import secrets
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.digest import sha256_file
from harness.errors import HarnessError, MissingError, StepError
from harness.evidence.audit.reexecution import OverBudget, RecordedKey, Reexecute, ReexecuteBatch, Reexecuted
from harness.evidence.causes import Cause, Machine, StepBasis, find_causes, split_threads
from harness.evidence.run_documents import closure_files, read_environment
from harness.files import remove_tree
from harness.run.environment import cores
from harness.run.execute import StepRuntime, StepTask, execute
from harness.run.execute_batch import execute_batch
from harness.run.workshop import Workshop
from harness.step_kinds import current_kind
from harness.steps import PROCESSOR, Step
from harness.store.store import Store


def step_reexecutor(workshop: Workshop, processor: str = "") -> Reexecute:
    """Return the function by which an audit executes one step again on this machine, in a folder of its own.

    `processor` names both processors where this one is not that of the run. The function raises MissingError for a step
    that calls a provider, or needs cores, a device or a class of processor that are not here, and OverBudget past
    its time; any other failure is told in its result.
    """
    other = _other(workshop)

    def again(step: Step, parts: Mapping[str, Any], seconds: float) -> Reexecuted:
        if step.calls:
            raise MissingError(
                "this step asked models elsewhere", next="`tape: replay`, and run again: equal digests say more"
            )
        here = workshop.setting
        if _too_wide(workshop, step):
            raise MissingError(
                f"this step computed in {workshop.threads} threads, and here are {cores()} cores",
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

    It returns results only for steps that succeeded, and none at all where the batch itself failed.
    """
    other = _other(workshop)

    def again(steps: Sequence[RecordedKey], seconds: float) -> Mapping[str, Reexecuted]:
        if any(_too_wide(workshop, step) or _elsewhere(workshop, parts) for step, parts in steps):
            return {}
        runtime = _timed(workshop.runtime(steps[0][0]), seconds)
        tasks = [_task(workshop, step, parts["inputs"]) for step, parts in steps]
        folder = _folder(workshop.store)
        try:
            made = execute_batch(tasks, workshop.store, runtime, folder)
            sound = [(step, parts) for step, parts in steps if step.name in made]
            return {step.name: Reexecuted(made[step.name], other(step, parts)) for step, parts in sound}
        except HarnessError:
            return {}  # whatever is wrong, making each of them alone says it
        finally:
            remove_tree(folder)

    return again


def _too_wide(workshop: Workshop, step: Step) -> bool:
    """Whether a step computes in more threads than there are cores: libraries would take fewer here, unsaid."""
    return step.in_threads and workshop.threads > cores()


def _elsewhere(workshop: Workshop, parts: Mapping[str, Any]) -> bool:
    """Whether a step chose by a processor that is of another class than the one here."""
    return PROCESSOR in parts["numerics"] and parts["numerics"][PROCESSOR] != workshop.processor.kind


def _task(workshop: Workshop, step: Step, inputs: Mapping[str, str | list[str]]) -> StepTask:
    now = replace(step, kind=current_kind(step.kind))  # an older run knows it under another name
    return StepTask(now, inputs, workshop.code.closure(now.kind), workshop.code.sources)


def _timed(runtime: StepRuntime, seconds: float) -> StepRuntime:
    return replace(runtime, limits=replace(runtime.limits, seconds=min(seconds, runtime.limits.seconds)))


def _made(
    workshop: Workshop, step: Step, inputs: Mapping[str, str | list[str]], other: tuple[Cause, ...], seconds: float
) -> Reexecuted:
    runtime = workshop.runtime(step)
    timed = _timed(runtime, seconds)
    within = timed.limits.seconds
    began, folder = time.monotonic(), _folder(workshop.store)
    try:
        execute(_task(workshop, step, inputs), workshop.store, timed, folder)
        return Reexecuted({output: sha256_file(folder / "out" / output)[0] for output in step.outputs}, other)
    except StepError as bad:
        if within < runtime.limits.seconds and time.monotonic() - began >= within:
            raise OverBudget(bad.what) from bad
        return Reexecuted({}, other, bad.what)
    finally:
        remove_tree(folder)


def _folder(store: Store) -> Path:
    """Give a private folder beside the blobs, so that inputs are links; elsewhere where it is for reading only."""
    path = store.temp / f"audit-{os.getpid()}-{secrets.token_hex(4)}"
    try:
        store.tree.make_folder(path, durable=False)
        path.chmod(0o700)
        return path
    except (HarnessError, OSError):
        return Path(tempfile.mkdtemp(prefix="harness-audit-"))


def _other(workshop: Workshop) -> Callable[[Step, Mapping[str, Any]], tuple[Cause, ...]]:
    """Give the way to name what is here other than it was in the run of a step."""
    here, blobs = workshop.setting, workshop.store.blobs

    @functools.cache
    def environments(digest: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Read the environment of a run, and the one here; what is the same is not read."""
        if digest == here.environment:
            return {}, {}
        return read_environment(blobs.read(digest), "run"), read_environment(workshop.environment, "here")

    def other(step: Step, parts: Mapping[str, Any]) -> tuple[Cause, ...]:
        code, ran = workshop.code.closure(current_kind(step.kind)), str(parts["code"])
        same, (then, now) = code.digest == ran, environments(str(parts["environment"]))
        files = {} if same else closure_files(blobs.read(ran), "code")
        before = StepBasis({}, {}, _machine(then, parts["numerics"]), files)
        after = StepBasis({}, {}, _machine(now, here.numerics_of(step)), {} if same else code.files)
        return tuple(find_causes(before, after))

    return other


def _machine(environment: Mapping[str, Any], numerics: Mapping[str, str]) -> Machine:
    """Describe what a step is made with; its processor is told apart, and on another device it is not made."""
    threads, rest = split_threads(numerics)
    return Machine("", str(environment.get("image", "")), "", threads, rest, environment)
