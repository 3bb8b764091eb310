"""Cached step execution: a finished step is taken from the store; any other is executed and stored as an entry.

`run` and `lock` get every step's result here. An audit uses the same runtimes, but executes outside the store.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, cast

from harness.digest import sha256
from harness.engines.engine import NO_IMAGE, Engine, Limits
from harness.engines.local import LocalEngine
from harness.errors import HarnessError, StepError
from harness.evidence.trail import ExecutionIndex
from harness.run.closure import Closure, Code
from harness.run.environment import NUMERICS, observe_processor, require_processor
from harness.run.executing.exchange import (
    StepAnswer,
    encode_answer,
    encode_request,
    parse_request,
    read_answer,
    read_request,
)
from harness.run.executing.execute import StepRuntime, StepTask, collect_outputs, execute_step
from harness.run.executing.trials import Trials
from harness.run.executing.warm import NOTHING, OutOfRoom, WarmProcesses, step_affinity
from harness.run.gateway import Gateway
from harness.run.installed import checked
from harness.run.receipt import probed_containment
from harness.steps import Computing, Pinned, Setting, Step, key_preimage, step_key
from harness.store.journal import Preimage
from harness.store.store import Entry, Output, Store, list_runs, read_start

Made = Mapping[tuple[str, str], str]  # (step, output) -> sha256
OnPrinted = Callable[[str, bytes], None]  # step, what it printed
OnExecuted = Callable[[Step, "StepResult"], None]  # a step that was executed, and its result
Perform = Callable[[bytes], bytes]  # executes the step of a request and returns the answer (`exchange.py`)
OTHER = "entry: it was not the one that a run had made"
PLANTED = "entry: no run had made it, and its outputs were others"
OBSERVE = "harness.run.installed.packages:observe"


@dataclass(frozen=True)
class StepResult:
    """A finished step: its entry, whether it was executed or cached, and what it used."""

    entry: Entry
    state: str  # executed | cached
    usage: Mapping[str, int]
    facts: Mapping[str, Any] = field(default_factory=dict)  # what the step observed of the machine
    damage: str = ""  # of an entry that no run had made and that named other outputs
    worker: str = ""  # the worker of a cluster that executed it; empty for this process


class Workshop:
    """Executor of steps on one engine: a finished step is taken from the store, a new one is executed and stored."""

    def __init__(
        self,
        store: Store,
        engine: Engine,
        limits: Limits,
        code: Code | None = None,
        *,
        environment: bytes | None = None,
        computing: Computing = Computing(),  # noqa: B008 - a value that nothing changes
        cancel: threading.Event | None = None,
    ) -> None:
        self.store = store
        self.engine = engine
        self.limits = limits
        self.code = code or Code()
        self.cancel = cancel or threading.Event()
        self.calls: Gateway | None = None  # the gateway to models at providers, if the run has any
        self.heard: OnPrinted = lambda _step, _text: None  # what steps print, while they run
        self.executed = ExecutionIndex(store)
        self.done: OnExecuted = lambda _step, _result: (
            None
        )  # records that a step was executed, before its result may be used
        self.warm: WarmProcesses | None = None  # processes that are kept for the next step of a model
        self.sandbox: Workshop | None = None  # where foreign code runs, if it has an image of its own
        self.trials = Trials(store, self.executed, self.cancel)
        self._kept: dict[str, Closure] = {}
        self.threads = computing.threads or 1
        self.environment = environment or b""
        self.processor = observe_processor(engine)
        require_processor(self.processor, computing.numerics)
        heavy = computing.variables(self.processor.kind)
        self.setting = Setting("", engine.device.kind, NUMERICS, heavy)  # until the environment is known
        if not environment:
            self.environment = checked.checked_environment() if engine.image == NO_IMAGE else self._observed()
        self.setting = replace(self.setting, environment=sha256(self.environment))

    def _observed(self) -> bytes:
        """Return the environment of the engine's image, as a step inside it observed it, once for each image."""
        step, parts = self.observation()
        with self.store.in_use():
            try:
                entry = self.store.entries.get(step_key(parts))
            except HarnessError:
                entry = None  # damaged: it is observed again
            if entry is None or not self._ran_in(entry.outputs["environment"].sha256):
                entry = self.make(step, parts).entry
            return self.store.blobs.read(entry.outputs["environment"].sha256)

    def observation(self) -> tuple[Step, Preimage]:
        """Return the step that writes the environment document of the engine's image, and the preimage of its key."""
        step = Step("environment", OBSERVE, "rows", {"image": self.engine.image}, {}, ("environment",))
        setting = Setting(self.engine.image.removeprefix("sha256:"), "cpu", NUMERICS)
        return step, cast(Preimage, key_preimage(step, {}, self.code.closure(step.kind).digest, setting))

    def _ran_in(self, environment: str) -> bool:
        """Whether a listed run of this image recorded this environment; otherwise it is observed again."""
        runs = (read_start(self.store, known) for known in reversed(list_runs(self.store).values()))
        mine = (run for run in runs if run and run.get("image") == self.engine.image)
        return any(run.get("environment") == environment for run in mine)

    def containment(self) -> dict[str, Any]:
        """Return what a probe of the engine's isolation found, for the record; refuse one that breaks its claims."""
        return {"containment": probed_containment(self.store, self.engine, self.cancel)}

    def unread(self) -> dict[str, Any]:
        """Return, for the record, altered files of this machine that no step reads; nothing without any."""
        found = checked.check_once() if self.engine.image == NO_IMAGE else None
        return {"unread": checked.unread_fact(found)} if found and found.unread else {}

    def preimage(self, step: Step, made: Made) -> Preimage:
        """Return the preimage of a step's key: all that its result depends on.

        `made` has the digests of earlier outputs. A step that must ask again for some of its recorded answers gets a
        higher attempt number, and so another key.
        """
        inputs: dict[str, str | list[str]] = {}
        for name, source in step.inputs.items():
            parts = source if isinstance(source, tuple) else (source,)
            found = [part.sha256 if isinstance(part, Pinned) else made[part.step, part.output] for part in parts]
            inputs[name] = found if isinstance(source, tuple) else found[0]
        setting = self.box.setting if step.trial else self.setting
        made_of = cast(Preimage, key_preimage(step, inputs, self.code.closure(step.kind).digest, setting))
        return self._next_attempt(made_of) if step.calls else made_of

    @property
    def box(self) -> Workshop:
        """The workshop in which foreign code runs: that of the sandbox, or this one."""
        return self.sandbox or self

    def _next_attempt(self, parts: Preimage) -> Preimage:
        """Add the attempt number with which a step asks again for what a provider did not answer.

        Each attempt has a key of its own.
        """
        attempt = 0
        while True:
            numbered: Preimage = {**parts, "attempt": attempt} if attempt else parts
            try:
                entry = self.store.entries.get(step_key(numbered))
                waiting = entry and json.loads(self.store.blobs.read(entry.outputs["inference"].sha256))["retry"]
            except HarnessError:
                return numbered  # damaged: it is executed again
            if not waiting:
                return numbered
            attempt += 1

    def finished(self, parts: Preimage) -> tuple[Entry | None, str]:
        """Return the entry of a finished step, or None; and what is damaged, if the entry or an output is.

        An entry that no listed run executed counts as none: `lock` or a killed run made it, or someone put it there.
        """
        try:
            entry = self.store.entries.get(step_key(parts))
        except HarnessError as bad:
            return None, f"entry: {bad.what}"
        if entry:
            for name, output in entry.outputs.items():
                state = self.store.blobs.state(output.sha256)
                if state != "sound":
                    return None, f"output {name} was {state}"
            if not self.executed.has(entry):
                return None, OTHER if self.executed.has_other(entry) else ""
            self._keep(str(parts["kind"]))  # its code is stored beside it, and is written again if it was damaged
        return entry, ""

    def make(self, step: Step, parts: Preimage, perform: Perform | None = None) -> StepResult:
        """Have a step executed and write its entry into the store, unless another process has just done so.

        `perform` executes it and puts its outputs into the store; by default this workshop does. Raises StepError if
        the step replaces a damaged result with other outputs than a listed run recorded.
        """
        with self.store.step_lock(step_key(parts), self.cancel):
            entry, _ = self.finished(parts)
            if entry:
                return StepResult(entry, "cached", {})
            self._keep(step.kind)
            answer = read_answer((perform or self.perform)(encode_request(step, parts)), parts)
            damage = self._same_again(step, parts, answer.outputs)
            entry = self.store.entries.put(parts, answer.outputs)
            result = StepResult(entry, "executed", answer.usage, answer.facts, damage, answer.worker)
            self.done(step, result)
            return result

    def perform(self, request: bytes) -> bytes:
        """Execute the step of a request on this workshop's engine, put its outputs into the store, and answer.

        It takes no lock and writes no entry and no journal. Raises the error of a step that fails.
        """
        step, parts = read_request(parse_request(request))
        task = StepTask(step, parts["inputs"], self._keep(step.kind))
        if name := self.affinity(step, parts):
            with suppress(OutOfRoom):
                return encode_answer(parts, self._perform_warm(task, name))
        with self.store.folder("step") as folder:
            usage: Mapping[str, int]
            if step.trial:
                usage, facts = self.trials.make(task, parts, self.box.engine, folder, self.limits.most)
            else:
                outcome, facts = execute_step(task, self.store, self.runtime(step, parts["inputs"]), folder)
                usage = outcome.usage
            outputs = collect_outputs(step, self.store, folder / "out")
        return encode_answer(parts, StepAnswer(outputs, usage, facts))

    def _perform_warm(self, task: StepTask, name: str) -> StepAnswer:
        """Execute a step in a process that is kept for steps of its affinity."""
        assert self.warm and isinstance(self.engine, LocalEngine)  # otherwise there is no affinity
        with self.warm.take(name, self.engine, self.limits.memory) as process:
            outcome, facts = process.execute(task, self.runtime(task.step, task.inputs))
            outputs = collect_outputs(task.step, self.store, process.folder / "out")
        return StepAnswer(outputs, outcome.usage, facts)

    def affinity(self, step: Step, parts: Preimage) -> str:
        """Return what steps have in common that one kept process may execute; empty for a step that gets its own."""
        return step_affinity(step, parts, self.engine) if self.warm else ""

    def runtime(self, step: Step, inputs: Mapping[str, Any] = MappingProxyType({})) -> StepRuntime:
        """Return what a step is executed with; a gateway's socket only if the step calls models and has prompts."""
        asks = step.calls and inputs.get("prompts") != NOTHING
        gateway = self.calls.socket if asks and self.calls else None
        asked = str(step.params.get("served") or step.params.get("id", ""))
        at_once = self.calls.at_once(asked) if gateway and self.calls else 0
        numerics = self.setting.numerics_of(step)
        return StepRuntime(
            self.engine, self.limits, self.cancel, lambda text: self.heard(step.name, text), numerics, gateway, at_once
        )

    def _same_again(self, step: Step, parts: Preimage, outputs: Mapping[str, Output]) -> str:
        """Raise StepError if a step that replaces a damaged result has other outputs; older runs name the old ones.

        Returns what was wrong with an entry that no run had made, unless the step's answers may differ each time.
        """
        try:
            before = self.store.entries.get(step_key(parts))
        except HarnessError:
            return ""  # the entry itself was damaged: what it said is not known
        if not before or dict(before.outputs) == dict(outputs):
            return ""
        if self.executed.has(before):
            raise StepError(
                f"step {step.name} was made again, since its output was damaged, and came out otherwise",
                where=step.kind,
                next="the step is not deterministic; restore the damaged blob, or begin a fresh store with --store DIR",
            )
        return "" if step.calls or step.infers or step.trial else PLANTED

    def _keep(self, kind: str) -> Closure:
        """Put a kind's code and the environment into the store, once, and return the code's closure."""
        module = kind.partition(":")[0]
        if module not in self._kept:
            closure = self.code.closure(kind)
            for path in closure.files:
                self.store.blobs.put(self.code.sources[path])
            self.store.blobs.put(closure.document)
            if self.environment:
                self.store.blobs.put(self.environment)
            self._kept[module] = closure
        return self._kept[module]
