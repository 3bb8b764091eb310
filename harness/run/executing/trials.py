"""Trials: executions of foreign programs, such as model-written code, each distinct one as a job of its own.

The outcome of a program is durable before its step is finished. A kill therefore loses only programs under way, and the
next run takes the others from the earlier run's journal. Independent of what a program is for; shows it no answer.
"""

from __future__ import annotations

import json
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness import trial
from harness.digest import canonical_json, document_digest
from harness.engines.engine import Engine, EngineKind, EngineOptions, Job, Limits, LoadableImage, Outcome
from harness.errors import HarnessError, Interrupted, MissingError
from harness.evidence.trail import ExecutionIndex
from harness.files import open_plain, remove_tree, translating_os_errors
from harness.rowtypes import Program, Tried
from harness.run.engines import ENGINES, require_containment, spell_size
from harness.run.environment import step_environment
from harness.run.executing.execute import READABLE, StepTask, lay_inputs, make_folders
from harness.store.journal import Preimage
from harness.store.store import Store

BLOCKS = 64 << 10  # bytes that the disk count may add for a file's name and first block


def run_program(
    engine: Engine, program: Program, limits: trial.TrialLimits, folder: Path, cancel: threading.Event
) -> Tried:
    """Run one program in an empty private folder and return how it ended; Interrupted if `cancel` is set meanwhile."""
    _lay(program, limits, folder)
    env = step_environment(engine.inside(folder))
    allowed = Limits(limits.seconds, limits.memory, limits.output + BLOCKS, files=1000, processes=64, cpus=1.0)
    job = Job(engine.command(trial.SCRIPT), folder, env, allowed)
    outcome = engine.run(job, lambda _: None, cancel)
    if outcome.cancelled:
        raise Interrupted("the run was stopped", where="a trial", next="run again: what was finished is kept")
    return trial.classify_outcome(_ended(outcome, folder, limits, str(engine.inside(folder))))


class ProgramRunner:
    """Runner of single programs outside of any run, in this machine's best isolation, which is found on first use."""

    def __init__(self) -> None:
        self._engine: Engine | None = None

    def run(self, program: Program, limits: trial.TrialLimits) -> Tried:
        """Run a program in a folder that is deleted afterwards; MissingError if nothing here would contain it."""
        if self._engine is None:
            kind: EngineKind = ENGINES.find("local")
            engine = kind.open(EngineOptions("", 0, _no_image))
            require_containment(engine, "a program in a row")
            self._engine = engine
        folder = Path(tempfile.mkdtemp(prefix="program-"))
        try:
            return run_program(self._engine, program, limits, folder, threading.Event())
        finally:
            remove_tree(folder)


def _no_image() -> LoadableImage:
    raise MissingError("a program in a row runs in no image", where="score")


def _lay(program: Program, limits: trial.TrialLimits, folder: Path) -> None:
    """Write the files that a program may see: the program, what it reads, and its entry point."""
    with translating_os_errors(folder):
        make_folders(folder)
        for name, data in trial.trial_files(program, limits).items():
            path = folder / name
            path.write_bytes(data)
            path.chmod(READABLE)


def _ended(outcome: Outcome, folder: Path, limits: trial.TrialLimits, place: str) -> trial.TrialEnd:
    """Return how a program ended and what it printed; output that is not a plain file is not read."""
    said = [_printed(folder / "out" / name, limits.output, place) for name in ("stdout", "stderr")]
    over = bool(outcome.over) or sum(map(len, said)) > limits.output
    return trial.TrialEnd(
        outcome.exit,
        outcome.signal,
        outcome.timed_out,
        outcome.oom,
        over,
        said[0][: limits.output],
        said[1] or outcome.log,
    )


def _printed(path: Path, most: int, place: str) -> bytes:
    """Return a stream that a program wrote, without the name of its private folder; empty if it is not a plain file."""
    try:
        with open_plain(path) as stream:
            return stream.read(most + 1).replace(place.encode(), b"")
    except (HarnessError, OSError):
        return b""


Told = Callable[[str, str, str], None]  # step, trial, digest of its outcome
Count = Callable[[str, int, int], None]  # step, programs that have ended, of how many


@dataclass
class Trials:
    """Executor of the programs of trial steps: each distinct one once, a limited number at a time in a run."""

    store: Store
    executed: ExecutionIndex
    cancel: threading.Event
    told: Told = lambda _step, _trial, _outcome: None  # records a trial's outcome: durably, in any thread
    count: Count = lambda _step, _done, _total: None
    _turns: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(1))
    _jobs: int = 1
    _going: dict[str, Future[str]] = field(default_factory=dict)  # by identity: the same program is run once
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def at_once(self, jobs: int) -> None:
        """Set how many programs may run at the same time."""
        self._jobs, self._turns = jobs, threading.Semaphore(jobs)

    def make(
        self, task: StepTask, parts: Preimage, engine: Engine, folder: Path, most: int = 0
    ) -> tuple[dict[str, int], dict[str, Any]]:
        """Execute a trial step in `folder`, which writes `out/trials`; return its time, and its counts of outcomes.

        Programs with a known outcome in a listed run are not executed again. Raises MissingError if a program is
        allowed more than `most` bytes of memory. It is not run with less, because how it ends is part of the result.
        """
        began = time.monotonic()
        with translating_os_errors(folder):
            make_folders(folder)
            lay_inputs(task, self.store, folder / "in", linked=engine.seals_inputs)
        limits = trial.TrialLimits(**task.step.params["limits"])
        if most and limits.memory > most:
            raise MissingError(
                f"a program of step {task.step.name} is allowed {spell_size(limits.memory)}, and {spell_size(most)} is "
                "the most that anything gets here",
                where=task.step.kind,
                next="run it on a machine with more memory; or allow more of this one with --max-memory SIZE",
            )
        inputs = {trial.PROGRAMS: folder / "in" / trial.PROGRAMS}
        surrounded = {name: parts[name] for name in ("environment", "numerics", "code")}

        def name_of(program: Program) -> str:
            return document_digest({"type": "trial/1", **trial.trial_identity(program, limits), **surrounded})

        wanted = {name_of(program): program for program in trial.read_programs(inputs[trial.PROGRAMS])}
        found = self._all(task.step.name, wanted, lambda program: self._run(engine, program, limits))
        ends: dict[str, str] = {}

        def tried(program: Program) -> Tried:  # read one at a time: a program may print much
            name = name_of(program)
            came: Tried = json.loads(self.store.blobs.read(found[name]))
            ends[name] = came["outcome"]
            return came

        trial.table(task.step.params, inputs, folder / "out", tried)
        counts = Counter(ends.values())
        usage = {"wall_ms": round(1000 * (time.monotonic() - began))}
        return usage, {"programs": len(wanted), "outcomes": dict(sorted(counts.items()))}

    def _all(self, step: str, wanted: Mapping[str, Program], run: Callable[[Program], Tried]) -> dict[str, str]:
        """Run every program to its end, and return the digests of the outcomes; the first failure stops the others."""
        ended = 0

        def one(name: str, program: Program) -> str:
            nonlocal ended
            digest = self._once(step, name, lambda: run(program))
            with self._lock:
                ended += 1
                self.count(step, ended, len(wanted))
            return digest

        with ThreadPoolExecutor(self._jobs, thread_name_prefix="trial") as pool:
            going = {name: pool.submit(one, name, program) for name, program in wanted.items()}
            wait(going.values(), return_when=FIRST_EXCEPTION)
            pool.shutdown(wait=True, cancel_futures=any(each.done() and each.exception() for each in going.values()))
        for future in going.values():
            if not future.cancelled() and (bad := future.exception()):
                raise bad
        return {name: future.result() for name, future in going.items()}

    def _once(self, step: str, name: str, run: Callable[[], Tried]) -> str:
        """Return the digest of a trial's outcome: of a listed run, of another step that runs it, or of a new run."""
        with self._lock:
            other = self._going.get(name)
            mine: Future[str] = self._going.setdefault(name, Future())
        if other:
            return other.result()
        try:
            digest = self.executed.outcome(name)  # looked up only now, because another step may have just ended it
            if digest is None or self.store.blobs.state(digest) != "sound":
                with self._turns:
                    digest = self.store.blobs.put(canonical_json(run()))
                    self.told(step, name, digest)
            mine.set_result(digest)
            return digest
        except BaseException as bad:
            mine.set_exception(bad)
            raise
        finally:
            with self._lock:
                self._going.pop(name, None)

    def _run(self, engine: Engine, program: Program, limits: trial.TrialLimits) -> Tried:
        """Run one program in a private folder, which is removed afterwards."""
        if self.cancel.is_set():
            raise Interrupted("the run was stopped", where="a trial", next="run again: what was finished is kept")
        with self.store.folder("trial") as folder:
            return run_program(engine, program, limits, folder, self.cancel)
