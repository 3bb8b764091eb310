"""Steps of one model in one isolated process, which loads the model once: shards are executed one after another there.

The step stays the unit: each has the private folder to itself while it is executed, and limits, usage and log of its
own. Whatever ends a step otherwise than well ends the process with it, and the next step begins in a new one. Nothing
here knows of keys, entries or journals.
"""

from __future__ import annotations

import shutil
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from harness.digest import canonical_json, document_digest, sha256
from harness.engines.engine import Engine, Job, Outcome
from harness.engines.local import KeptJobs, LocalEngine
from harness.files import translating_os_errors
from harness.models.local.load import LOADING
from harness.run.closure import code_root
from harness.run.environment import step_environment
from harness.run.executing.execute import (
    READABLE,
    StepRuntime,
    StepTask,
    check_outputs,
    lay_inputs,
    prepare_folder,
    require_success,
    step_description,
)
from harness.steps import CPU, THREADS, Step
from harness.store.journal import Preimage
from harness.store.store import Store

WARM_SCRIPT = "harness/run/step_warm.py"
WEIGHTS = "weights"
IDLE = 60.0  # seconds after which a process ends that no step has asked for
MEMORY = Path("/proc/meminfo")
NOTHING = sha256(b"")
Made = TypeVar("Made")


def step_affinity(step: Step, parts: Preimage, engine: Engine) -> str:
    """Return the digest of what steps must share to be executed by one process: code, environment, loaded model.

    Empty for a step that has a process of its own: one without a model's files or without a row to answer, one on a
    GPU or in several threads, which no fork has, and any on an engine that keeps no process.
    """
    inputs = parts["inputs"]
    alone = parts["device"] != CPU or parts["numerics"].get(THREADS, "1") != "1" or NOTHING in inputs.values()
    if alone or not step.infers or not inputs.get(WEIGHTS) or not (isinstance(engine, LocalEngine) and engine.keeps):
        return ""
    decided = {name: parts["params"].get(name) for name in LOADING}
    common = {name: parts[name] for name in ("environment", "device", "numerics", "batch", "code")}
    common["module"] = str(parts["kind"]).partition(":")[0]
    return document_digest({"type": "affinity/1", **common, "loading": decided, WEIGHTS: inputs[WEIGHTS]})


class OutOfRoom(Exception):  # noqa: N818 - what became of a step
    """Raised for a step that needed more memory than is left beside the process that holds its model.

    Alone it needs a little less, so it is to be executed alone.
    """


class WarmProcess:
    """An isolated process that has loaded a model once, and executes one step after another with it."""

    def __init__(self, name: str, store: Store, engine: LocalEngine) -> None:
        self.affinity, self.store, self.engine = name, store, engine
        self.steps = 0  # that it has been given
        self._stack = ExitStack()
        self.folder = self._stack.enter_context(store.folder("step"))
        self._jobs: KeptJobs | None = None

    def execute(self, task: StepTask, runtime: StepRuntime) -> tuple[Outcome, dict[str, Any]]:
        """Execute a step; afterwards its outputs, and nothing else, are in the folder's `out/`.

        Raises what `execute.py: execute_step` raises, and OutOfRoom in the place of the error of a lack of memory.
        """
        self.steps += 1
        if self._jobs is None:
            prepare_folder(task, self.store, self.folder, self.engine)
            with translating_os_errors(self.folder):
                script = self.folder / "code" / WARM_SCRIPT
                shutil.copyfile(code_root() / WARM_SCRIPT, script)
                script.chmod(READABLE)
            env = step_environment(self.engine.inside(self.folder), runtime.numerics)
            job = Job(self.engine.command(f"code/{WARM_SCRIPT}"), self.folder, env, runtime.limits, infers=True)
            self._jobs = self._stack.enter_context(self.engine.keep(job))
        else:
            self._lay_next(task)
        outcome = self._jobs.run(runtime.on_log, runtime.cancel)
        if outcome.oom:
            raise OutOfRoom
        require_success(task.step, outcome, runtime.limits, self.folder, str(self.engine.inside(self.folder)))
        return outcome, {**check_outputs(task.step, self.folder / "out"), "step_of_process": self.steps}

    def _lay_next(self, task: StepTask) -> None:
        """Put the next step into the folder in the place of the last one; code and weights stay."""
        with translating_os_errors(self.folder):
            for place in ("in", "out", "tmp"):
                for one in (self.folder / place).iterdir():
                    if one.is_dir() and not one.is_symlink():
                        if (place, one.name) != ("in", WEIGHTS):
                            shutil.rmtree(one)
                    else:
                        one.unlink()
            (self.folder / "step.json").write_bytes(canonical_json(step_description(task)))
        others = {name: source for name, source in task.inputs.items() if name != WEIGHTS}
        lay_inputs(replace(task, inputs=others), self.store, self.folder / "in", linked=self.engine.seals_inputs)

    @property
    def ended(self) -> bool:
        """Whether the process can execute no further step."""
        return self._jobs is not None and self._jobs.ended

    def close(self) -> None:
        """End the process and remove its private folder."""
        self._stack.close()


@dataclass
class WarmProcesses:
    """The processes that keep a model loaded between steps, as many as steps may run at once and memory allows."""

    store: Store
    most: int = 1
    idle: float = IDLE
    _free: list[WarmProcess] = field(default_factory=list)
    _busy: int = 0
    _closed: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _timer: threading.Timer | None = None

    def holds(self, name: str) -> bool:
        """Whether a process with this affinity (the same model and code loaded) waits for a step."""
        with self._lock:
            return any(one.affinity == name for one in self._free)

    @contextmanager
    def take(self, name: str, engine: LocalEngine, memory: int) -> Iterator[WarmProcess]:
        """Context manager that yields a process with this affinity: one that waits, or else a new one.

        It is kept if the block ends well and the machine has `memory` to spare for a step beside it.
        """
        with self._lock:
            gone = [one for one in self._free if one.ended]
            found = next((one for one in self._free if one.affinity == name and one not in gone), None)
            self._busy += 1
            rest = [one for one in self._free if one is not found and one not in gone]
            spare = max(0, self._busy + len(rest) - self.most)
            gone += rest[:spare]
            self._free = rest[spare:]
        for one in gone:
            one.close()
        process, well = found, False
        try:
            process = process or WarmProcess(name, self.store, engine)
            yield process
            well = True
        finally:
            with self._lock:
                self._busy -= 1
                kept = process is not None and well and not self._closed and not process.ended
                kept = kept and memory_to_spare() >= memory
                if kept and process:
                    self._free.append(process)
                    self._end_later()
            if process and not kept:
                process.close()

    def close(self) -> None:
        """End every process that waits; those at work end with their step."""
        with self._lock:
            gone, self._free, self._closed = self._free, [], True
            if self._timer:
                self._timer.cancel()
        for one in gone:
            one.close()

    def _end_later(self) -> None:
        """Begin anew to wait for a time in which no process is given back, and then end those that wait."""
        if self._timer:
            self._timer.cancel()
        self._timer = threading.Timer(self.idle, self._end_idle)
        self._timer.daemon = True
        self._timer.start()

    def _end_idle(self) -> None:
        with self._lock:
            gone, self._free = self._free, []
        for one in gone:
            one.close()


class WarmQueue:
    """Queue of steps for a pool of threads: a step whose process waits goes before one that needs another process."""

    def __init__(self, pool: Executor, processes: WarmProcesses) -> None:
        self._pool, self._processes = pool, processes
        self._waiting: dict[str, deque[tuple[int, Future[Any], Callable[[], Any]]]] = {}  # by affinity
        self._count = 0
        self._lock = threading.Lock()

    def submit(self, name: str, call: Callable[[], Made]) -> Future[Made]:
        """Queue a step of an affinity for execution; steps whose process waits go first."""
        future = Future[Made]()
        with self._lock:
            self._count += 1
            self._waiting.setdefault(name, deque()).append((self._count, future, call))
        self._pool.submit(self._next)
        return future

    def _next(self) -> None:
        with self._lock:
            heads = {name: waiting[0][0] for name, waiting in self._waiting.items()}
            name = min(heads, key=heads.__getitem__)
            held = [one for one in heads if name and self._processes.holds(one)]
            name = min(held, key=heads.__getitem__) if held else name
            _, future, call = self._waiting[name].popleft()
            if not self._waiting[name]:
                del self._waiting[name]
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(call())
            except BaseException as bad:  # a future's border: whoever asked gets it
                future.set_exception(bad)


def memory_to_spare(path: Path = MEMORY) -> int:
    """Return the bytes of memory that the kernel says are available; 0 if it does not say."""
    try:
        for line in path.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    except (OSError, ValueError, IndexError):
        return 0
    return 0
