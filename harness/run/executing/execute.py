"""Execution of one step: lay out its private folder, run it on the engine, check and store its outputs.

Caching and the writing of entries are in `workshop.py`.
"""

from __future__ import annotations

import functools
import json
import marshal
import shutil
import signal
import stat
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import source_hash
from pathlib import Path
from typing import Any

from harness.digest import canonical_json, encode_document, sha256_file
from harness.engines.engine import NO_IMAGE, Engine, Job, Limits, Outcome
from harness.errors import HarnessError, Interrupted, MissingError, StepError
from harness.evidence.record import CRASHED, DISK, FAILED, KILLED, MEMORY, TIME
from harness.files import translating_os_errors
from harness.rows import part_name
from harness.run.closure import Closure, code_root
from harness.run.engines import find_missing_extra
from harness.run.environment import step_environment
from harness.run.step import COMPILED
from harness.steps import FACTS, Step
from harness.store.store import Output, Store

SHOWN = "code"  # the folder that errors name before a file, as the step sees it


def compile_sources(sources: Mapping[str, bytes]) -> bytes:
    """Compile sources, given by path; the result holds the hash and the bytecode of each, for the step to read."""
    return marshal.dumps({path: (source_hash(source), _bytecode(path, source)) for path, source in sources.items()})


@functools.lru_cache(maxsize=2048)
def _bytecode(path: str, source: bytes) -> bytes:
    return marshal.dumps(compile(source, f"{SHOWN}/{path}", "exec", dont_inherit=True, optimize=0))


STEP_SCRIPT = "code/harness/run/step.py"
OPEN, READABLE = 0o755, 0o644
GATEWAY = "HARNESS_GATEWAY"  # variable in which a step that may call finds the gateway's socket
AT_ONCE = "HARNESS_AT_ONCE"  # variable that says how many requests such a step sends at once; in no key
MOST_FACTS = 64 << 10


class StepEnded(StepError):  # noqa: N818 - what became of a step
    """Raised for a step that ran and failed; `ended` names how."""

    ended = FAILED


class StepKilled(StepEnded):
    """Raised for a step that was killed from outside its program, as by a machine that runs out of memory."""

    ended = KILLED


@dataclass(frozen=True)
class StepTask:
    """A step that is ready to execute: its inputs by digest, the list of its code files, and sources for an audit."""

    step: Step
    inputs: Mapping[str, str | list[str]]
    closure: Closure
    sources: Mapping[str, bytes] = field(default_factory=dict)  # of an audit: installed code that no run of a store had
    given: Mapping[str, Path] = field(default_factory=dict)  # of an audit: files in the place of inputs


@dataclass(frozen=True)
class StepRuntime:
    """What a step is executed with: engine, limits, cancellation, log listener, numerics, gateway socket."""

    engine: Engine
    limits: Limits
    cancel: threading.Event
    on_log: Callable[[bytes], None]
    numerics: Mapping[str, str]  # as the step's key says
    gateway: Path | None = None  # the socket for a step that calls models at providers
    at_once: int = 0  # how many requests such a step sends at once; 0: as many as it does by itself


def prepare_folder(task: StepTask, store: Store, folder: Path, engine: Engine) -> None:
    """Lay out a step's private folder: `step.json`, code and inputs, and nothing else.

    Files are links if the engine keeps a step from writing to them, else copies. Compiled code is added if steps run on
    our interpreter.
    """
    linked = engine.seals_inputs
    with translating_os_errors(folder):
        make_folders(folder)
        (folder / "step.json").write_bytes(canonical_json(step_description(task)))
        (folder / "step.json").chmod(READABLE)
        lay_code(task, store, folder, linked=linked)
        if engine.image == NO_IMAGE:
            sources = {path: (folder / "code" / path).read_bytes() for path in task.closure.files}
            (folder / COMPILED).write_bytes(compile_sources(sources))
            (folder / COMPILED).chmod(READABLE)
        lay_inputs(task, store, folder / "in", linked=linked)


def make_folders(folder: Path) -> None:
    """Create the subfolders that every job has: `in`, `out`, `tmp` and `code`."""
    folder.chmod(OPEN)
    for name in ("in", "out", "tmp", "code"):
        _open_folder(folder / name)


def step_description(task: StepTask) -> dict[str, Any]:
    """Return the content of a step's `step.json`: its kind, parameters, input names and output names."""
    return {
        "type": "step/1",
        "kind": task.step.kind,
        "params": dict(task.step.params),
        "inputs": sorted(task.inputs),
        "outputs": list(task.step.outputs),
    }


def lay_code(task: StepTask, store: Store, folder: Path, *, linked: bool) -> None:
    """Put the code files of a step into `folder/code`, from the store or the task's own sources, and no others."""
    for path, digest in task.closure.files.items():
        target = folder / "code" / path
        if path in task.sources and store.blobs.state(digest) != "sound":
            _open_folder(target.parent)
            target.write_bytes(task.sources[path])
            target.chmod(READABLE)
        else:
            _lay(store, digest, target, linked)


def lay_inputs(task: StepTask, store: Store, place: Path, *, linked: bool) -> None:
    """Put the inputs of a step into a folder, each by its name; an input of several blobs is a folder of parts."""
    for name, source in task.inputs.items():
        if name in task.given:
            shutil.copyfile(task.given[name], place / name)
            (place / name).chmod(READABLE)
        elif isinstance(source, str):
            _lay(store, source, place / name, linked)
        else:
            _open_folder(place / name)
            for index, digest in enumerate(source):
                _lay(store, digest, place / name / part_name(index), linked)


def _open_folder(folder: Path) -> None:
    """Create a folder that the step can enter whatever the umask, because in a container it is another user."""
    if not folder.is_dir():
        _open_folder(folder.parent)
        folder.mkdir()
        folder.chmod(OPEN)


def _lay(store: Store, digest: str, target: Path, linked: bool) -> None:
    """Put a checked blob in the step's folder: a link if the engine keeps the step from writing, else a copy."""
    _open_folder(target.parent)
    if not (linked and store.blobs.link_to(digest, target)):
        store.blobs.copy_to(digest, target, READABLE)


def execute_step(task: StepTask, store: Store, runtime: StepRuntime, folder: Path) -> tuple[Outcome, dict[str, Any]]:
    """Execute a step in a private folder; afterwards its declared outputs, and nothing else, are in `out/`.

    Returns the outcome and the facts that the step observed about the machine. Raises StepError if the step failed or
    left other files, MissingError if the disk is full, and Interrupted if the run was stopped.
    """
    engine = runtime.engine
    prepare_folder(task, store, folder, engine)
    env = step_environment(engine.inside(folder), runtime.numerics)
    sockets = (runtime.gateway,) if runtime.gateway else ()
    for socket in sockets:
        env[GATEWAY] = str(engine.socket(socket))
        if runtime.at_once:
            env[AT_ONCE] = str(runtime.at_once)
    job = Job(engine.command(STEP_SCRIPT), folder, env, runtime.limits, infers=task.step.infers, sockets=sockets)
    outcome = engine.run(job, runtime.on_log, runtime.cancel)
    require_success(task.step, outcome, runtime.limits, folder, str(engine.inside(folder)))
    return outcome, check_outputs(task.step, folder / "out")


def check_outputs(step: Step, out: Path) -> dict[str, Any]:
    """Check that a step left its declared outputs, and nothing else, as plain files; return the facts it observed.

    The file of facts is removed from `out`. Raises StepError if the outputs are wrong.
    """
    if out.is_symlink() or not out.is_dir():
        raise StepError(
            f"step {step.name} removed its own out/",
            where=step.kind,
            next="a step writes into out/ and leaves it there",
        )
    facts = _facts(step, out / FACTS)
    _closed(step, out)
    return facts


def _facts(step: Step, path: Path) -> dict[str, Any]:
    """Return the facts that a step wrote beside its outputs, and remove their file.

    Facts go to the journal, so they must be an identity document. Raises StepError if they are not.
    """
    if not path.exists() or path.is_symlink() or not path.is_file() or FACTS in step.outputs:
        return {}
    try:
        data = path.read_bytes() if path.stat().st_size <= MOST_FACTS else b""
        facts = json.loads(data)
        encode_document({"type": "facts/1", "facts": facts})
        if not isinstance(facts, dict):
            raise ValueError("no object")
    except (ValueError, RecursionError, HarnessError) as bad:
        raise StepError(
            f"step {step.name} left facts that cannot be read", where=step.kind, next="write a small object, no floats"
        ) from bad
    path.unlink()
    return facts


def require_success(step: Step, outcome: Outcome, limits: Limits, place: Path, folder: str) -> None:
    """Raise the error of a step that failed, which says what to do; do nothing for a step that succeeded.

    `folder` is what the step calls its private folder `place`.
    """
    if outcome.fine:
        return
    log = outcome.log.decode("utf-8", "replace").replace(folder, "").strip()
    last = log.rsplit("\n", 1)[-1][:500]
    if limits.beyond and not (outcome.cancelled or outcome.over or outcome.timed_out):
        raise _unable_within(step, outcome, limits, last)
    if limits.disk_beyond and outcome.over:
        raise MissingError(
            f"step {step.name} wrote {outcome.over}: {limits.disk_beyond}", where=step.kind, next="free some room"
        )
    if outcome.cancelled:
        raise Interrupted("the run was stopped", where=step.name, next="run again: what was finished is kept")
    if "No space left on device" in last:
        raise MissingError(
            "the disk is full",
            where=f"{place}, in step {step.name}",
            next=f"a step may write {limits.disk:,} bytes there: free some room and run again: everything finished so "
            "far is kept",
        )
    if lack := find_missing_extra(step.name, last, step.kind):
        raise lack
    if outcome.over:
        what, remedy = f"wrote {outcome.over}", "raise `resources.disk` in the manifest, or let the step write less"
        ended = DISK
    elif outcome.timed_out:
        what, remedy = f"took more than {limits.seconds:g} s", "raise `resources.timeout` in the manifest"
        ended = TIME
    elif outcome.oom:
        what, remedy = f"needed more than {limits.memory >> 20} MiB", "raise `resources.memory` in the manifest"
        ended = MEMORY
    elif outcome.signal:
        what, remedy = (
            f"was ended by signal {outcome.signal}",
            "if memory ran out, free some or lower what runs at once",
        )
        ended = KILLED if outcome.signal == signal.SIGKILL else CRASHED
    else:
        what, remedy, ended = last or f"exited {outcome.exit}", "see the whole log with --debug", FAILED
    kind = StepKilled if ended == KILLED else StepEnded
    error = kind(f"step {step.name} failed: {what}", where=step.kind, next=remedy)
    error.ended = ended
    error.add_note(log[-8000:])
    raise error


def _unable_within(step: Step, outcome: Outcome, limits: Limits, last: str) -> MissingError:
    """Return the error of a step that failed with less memory than its manifest allows.

    This machine cannot tell whether the step would fail with all of its memory. Libraries report a lack of memory in
    many ways, so any failure under such a limit is taken for one.
    """
    short = outcome.oom or outcome.signal == signal.SIGKILL
    why = f"needed more than {limits.memory >> 20} MiB of memory" if short else f"failed ({last or 'without a word'})"
    return MissingError(
        f"step {step.name} {why}: {limits.beyond}",
        where=step.kind,
        next="a machine with more memory makes it; or allow more of this one with --max-memory SIZE",
    )


def _closed(step: Step, out: Path) -> None:
    """Raise StepError for links, undeclared files and missing outputs."""
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


def collect_outputs(step: Step, store: Store, out: Path) -> dict[str, Output]:
    """Move the outputs of a step from `out` into the store; return the digest and size of each."""
    return {name: Output(*store.blobs.adopt(out / name)) for name in step.outputs}


BATCH_SCRIPT = "harness/run/step_batch.py"


def execute_batch(
    tasks: Sequence[StepTask], store: Store, runtime: StepRuntime, folder: Path
) -> dict[str, dict[str, str]]:
    """Execute steps of one closure in one process, in `folder`; return the output digests of those that succeeded.

    Nothing is returned if the process ran out of memory or disk. Nothing is put into the store.
    """
    engine = runtime.engine
    _prepare(tasks, store, folder, linked=engine.seals_inputs)
    env = step_environment(engine.inside(folder), runtime.numerics)
    job = Job(engine.command(f"code/{BATCH_SCRIPT}"), folder, env, runtime.limits)
    outcome = engine.run(job, runtime.on_log, runtime.cancel)
    if outcome.oom or outcome.over:
        return {}  # memory and disk are shared, so the step that took too much is not known
    digests = ((task.step.name, _digests(task, folder / "out" / str(number))) for number, task in enumerate(tasks))
    return {name: outputs for name, outputs in digests if outputs}


def _prepare(tasks: Sequence[StepTask], store: Store, folder: Path, *, linked: bool) -> None:
    with translating_os_errors(folder):
        make_folders(folder)
        (folder / "steps.json").write_bytes(canonical_json([step_description(task) for task in tasks]))
        (folder / "steps.json").chmod(READABLE)
        lay_code(tasks[0], store, folder, linked=linked)
        shutil.copyfile(code_root() / BATCH_SCRIPT, folder / "code" / BATCH_SCRIPT)
        (folder / "code" / BATCH_SCRIPT).chmod(READABLE)
        for number, task in enumerate(tasks):
            lay_inputs(task, store, folder / "in" / str(number), linked=linked)


def _digests(task: StepTask, out: Path) -> dict[str, str]:
    """Return the digests of a step's outputs; empty if it failed, or left anything but plain files of its own."""
    try:
        check_outputs(task.step, out)
        return {name: sha256_file(out / name)[0] for name in task.step.outputs}
    except (StepError, OSError):
        return {}  # it is executed again alone, which shows what is wrong
