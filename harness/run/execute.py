"""One step, from its inputs' digests to a finished entry: prepare the private folder, run it, take what it made."""

from __future__ import annotations

import json
import os
import shutil
import stat
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.digest import canonical, document
from harness.engines.engine import Engine, Job, Limits, Outcome
from harness.errors import HarnessError, Interrupted, MissingError, StepError
from harness.files import translating_os_errors
from harness.rows import part_name
from harness.run.closure import Closure
from harness.run.environment import step_environment
from harness.steps import FACTS, Step
from harness.store.entries import Output
from harness.store.store import Store

SCRIPT = "code/harness/run/step.py"
OPEN, READABLE = 0o755, 0o644
GATEWAY = "HARNESS_GATEWAY"  # where a step that may call finds the gateway's socket
MOST_FACTS = 64 << 10


@dataclass(frozen=True)
class Task:
    """A step whose inputs are known by their contents."""

    step: Step
    inputs: Mapping[str, str | list[str]]
    closure: Closure
    sources: Mapping[str, bytes] = field(default_factory=dict)  # of an audit: installed code that no run of a store had


@dataclass(frozen=True)
class Bench:
    """Where a step is made, what it may use, who may stop it, and who hears what it prints."""

    engine: Engine
    limits: Limits
    cancel: threading.Event
    on_log: Callable[[bytes], None]
    numerics: Mapping[str, str]  # as the step's key says
    gateway: Path | None = None  # the socket that a step which calls models elsewhere is given


def prepare(task: Task, store: Store, folder: Path, *, linked: bool) -> None:
    """Lay out what the step may see: its description, its code, its inputs, and nothing else."""
    with translating_os_errors(folder):
        open_place(folder)
        (folder / "step.json").write_bytes(canonical(describe(task)))
        (folder / "step.json").chmod(READABLE)
        lay_code(task, store, folder, linked=linked)
        lay_inputs(task, store, folder / "in", linked=linked)


def open_place(folder: Path) -> None:
    """Make the folders that every job has."""
    folder.chmod(OPEN)
    for name in ("in", "out", "tmp", "code"):
        _open_folder(folder / name)


def describe(task: Task) -> dict[str, Any]:
    """Say what a step is told of itself."""
    return {
        "type": "step/1",
        "kind": task.step.kind,
        "params": dict(task.step.params),
        "inputs": sorted(task.inputs),
        "outputs": list(task.step.outputs),
    }


def lay_code(task: Task, store: Store, folder: Path, *, linked: bool) -> None:
    """Lay out the code of a step, and no other."""
    for path, digest in task.closure.files.items():
        target = folder / "code" / path
        if path in task.sources and store.blobs.state(digest) != "sound":
            _open_folder(target.parent)
            target.write_bytes(task.sources[path])
            target.chmod(READABLE)
        else:
            _lay(store, digest, target, linked)


def lay_inputs(task: Task, store: Store, place: Path, *, linked: bool) -> None:
    """Lay out the inputs of a step; a fan-in is a folder."""
    for name, source in task.inputs.items():
        if isinstance(source, str):
            _lay(store, source, place / name, linked)
        else:
            _open_folder(place / name)
            for index, digest in enumerate(source):
                _lay(store, digest, place / name / part_name(index), linked)


def _open_folder(folder: Path) -> None:
    """Make a folder that the step can pass, whatever the user's umask: in a container it is another user."""
    if not folder.is_dir():
        _open_folder(folder.parent)
        folder.mkdir()
        folder.chmod(OPEN)


def _lay(store: Store, digest: str, target: Path, linked: bool) -> None:
    """Put a checked blob in the step's folder: a link where the engine keeps the step from writing, else a copy."""
    source = store.blobs.deliver(digest)
    _open_folder(target.parent)
    if linked and source.stat().st_dev == target.parent.stat().st_dev:
        os.link(source, target)
    else:
        shutil.copyfile(source, target)
        target.chmod(READABLE)


def execute(task: Task, store: Store, bench: Bench, folder: Path) -> tuple[Outcome, dict[str, Any]]:
    """Run a step in a private folder; on return its declared outputs, and nothing else, lie in `out/`.

    What the step observed of the machine is taken out and given beside the outcome.
    """
    engine = bench.engine
    prepare(task, store, folder, linked=engine.seals_inputs)
    env = step_environment(engine.inside(folder), bench.numerics)
    sockets = (bench.gateway,) if bench.gateway else ()
    for socket in sockets:
        env[GATEWAY] = str(engine.socket(socket))
    job = Job(engine.command(SCRIPT), folder, env, bench.limits, infers=task.step.infers, sockets=sockets)
    outcome = engine.run(job, bench.on_log, bench.cancel)
    _judge(task.step, outcome, bench.limits, str(engine.inside(folder)))
    return outcome, taken(task.step, folder / "out")


def taken(step: Step, out: Path) -> dict[str, Any]:
    """Hold what a step left to what it declared: plain files of its own. Takes out and gives what it observed."""
    if out.is_symlink() or not out.is_dir():
        raise StepError(
            f"step {step.name} removed its own out/", where=step.kind,
            next="a step writes into out/ and leaves it there",
        )  # fmt: skip
    facts = _facts(step, out / FACTS)
    _closed(step, out)
    return facts


def _facts(step: Step, path: Path) -> dict[str, Any]:
    """Take the facts that a step wrote beside its outputs; they reach the journal, so they are an identity document."""
    if not path.exists() or path.is_symlink() or not path.is_file() or FACTS in step.outputs:
        return {}
    try:
        data = path.read_bytes() if path.stat().st_size <= MOST_FACTS else b""
        facts = json.loads(data)
        document({"type": "facts/1", "facts": facts})
        if not isinstance(facts, dict):
            raise ValueError("no object")
    except (ValueError, RecursionError, HarnessError) as bad:
        raise StepError(
            f"step {step.name} left facts that cannot be read", where=step.kind, next="write a small object, no floats"
        ) from bad
    path.unlink()
    return facts


def _judge(step: Step, outcome: Outcome, limits: Limits, folder: str) -> None:
    """Say how a step failed, in words that tell what to do."""
    if outcome.fine:
        return
    log = outcome.log.decode("utf-8", "replace").replace(folder, "").strip()
    last = log.rsplit("\n", 1)[-1][:500]
    if outcome.cancelled:
        raise Interrupted("the run was stopped", where=step.name, next="run again: what was finished is kept")
    if "No space left on device" in last:
        raise MissingError(
            "the disk is full", where=step.name, next="free some room and run again: everything finished so far is kept"
        )
    if outcome.over:
        what, mend = f"wrote {outcome.over}", "raise `resources.disk` in the manifest, or let the step write less"
    elif outcome.timed_out:
        what, mend = f"took more than {limits.seconds:g} s", "raise `resources.timeout` in the manifest"
    elif outcome.oom:
        what, mend = f"needed more than {limits.memory >> 20} MiB", "raise `resources.memory` in the manifest"
    elif outcome.signal:
        what, mend = f"was ended by signal {outcome.signal}", "if memory ran out, free some or lower what runs at once"
    else:
        what, mend = last or f"exited {outcome.exit}", "see the whole log with --debug"
    error = StepError(f"step {step.name} failed: {what}", where=step.kind, next=mend)
    error.add_note(log[-8000:])
    raise error


def _closed(step: Step, out: Path) -> None:
    """Refuse links, strangers and gaps: the world of a step is closed."""
    found = {path.name: path for path in out.iterdir()}
    wrong = sorted(set(found) ^ set(step.outputs))
    if wrong:
        verb = "made no" if wrong[0] in step.outputs else "made an undeclared"
        name = json.dumps(wrong[0])[:120]
        raise StepError(f"step {step.name} {verb} {name}", where=step.kind, next="outputs are declared in the plan")
    for name, path in found.items():
        facts = path.lstat()
        if not stat.S_ISREG(facts.st_mode) or facts.st_nlink != 1:
            raise StepError(
                f"step {step.name} made {name!r}, which is not a plain file of its own",
                where=step.kind,
                next="a step leaves plain files, neither links nor folders",
            )


def collect(step: Step, store: Store, out: Path) -> dict[str, Output]:
    """Take what a step made into the store."""
    return {name: Output(*store.blobs.adopt(out / name)) for name in step.outputs}
