"""Cached step execution: a finished step is taken from the store, any other executed and put there as an entry.

`run` and `lock` get every step's result here. An audit uses the same runtimes, but executes outside the store.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from harness.digest import sha256
from harness.engines.engine import NO_IMAGE, Engine, Limits
from harness.errors import HarnessError, StepError
from harness.evidence.execution_index import ExecutionIndex
from harness.run.closure import Closure, Code
from harness.run.environment import NUMERICS, observe_processor, require_processor
from harness.run.executing.execute import StepRuntime, StepTask, collect, execute
from harness.run.executing.trials import Trials
from harness.run.gateway import Gateway
from harness.run.installed import checked
from harness.run.receipt import containment
from harness.steps import Computing, Pinned, Setting, Step, key, preimage
from harness.store.store import Entry, Output, Store, listed, started

Made = Mapping[tuple[str, str], str]  # (step, output) -> sha256
OnPrinted = Callable[[str, bytes], None]  # step, what it printed
OnExecuted = Callable[[Step, "StepResult"], None]  # a step that was executed, and its result
NOTHING = sha256(b"")  # a table without a row
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
    damage: str = ""  # of an entry that no run had made and that said something else


class Workshop:
    """Executor of steps on one engine: finished steps are taken from one store, new ones are put there."""

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
        self.calls: Gateway | None = None  # the way to models elsewhere, of a run that has any
        self.heard: OnPrinted = lambda _step, _text: None  # what steps print, while they run
        self.executed = ExecutionIndex(store)
        self.done: OnExecuted = lambda _step, _result: (
            None
        )  # writes down that a step was executed, before anybody may take it
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
            self.environment = checked.environment() if engine.image == NO_IMAGE else self._observed()
        self.setting = replace(self.setting, environment=sha256(self.environment))

    def _observed(self) -> bytes:
        """Return the environment of the engine's image, as a step inside it saw it; seen once for each image."""
        step, parts = self.observation()
        with self.store.in_use():
            try:
                entry = self.store.entries.get(key(parts))
            except HarnessError:
                entry = None  # damaged: it is seen anew
            if entry is None or not self._ran_in(entry.outputs["environment"].sha256):
                entry = self.make(step, parts).entry
            return self.store.blobs.read(entry.outputs["environment"].sha256)

    def observation(self) -> tuple[Step, dict[str, Any]]:
        """Return the step that writes the environment document of the engine's image, and the preimage of its key."""
        step = Step("environment", OBSERVE, "rows", {"image": self.engine.image}, {}, ("environment",))
        setting = Setting(self.engine.image.removeprefix("sha256:"), "cpu", NUMERICS)
        return step, preimage(step, {}, self.code.closure(step.kind).digest, setting)

    def _ran_in(self, environment: str) -> bool:
        """Whether a listed run of this image says that this is its environment: else it is seen anew."""
        runs = (started(self.store, known) for known in reversed(listed(self.store).values()))
        mine = (run for run in runs if run and run.get("image") == self.engine.image)
        return any(run.get("environment") == environment for run in mine)

    def containment(self) -> dict[str, Any]:
        """Return what a probe of the engine's isolation found, for the record; refuse one that breaks its claims."""
        return {"containment": containment(self.store, self.engine, self.cancel)}

    def preimage(self, step: Step, made: Made) -> dict[str, Any]:
        """Return the preimage of a step's key, all its result depends on; `made` has the digests of earlier outputs.

        A step whose recorded answers are to be asked for again gets a higher attempt number, so another key.
        """
        inputs: dict[str, str | list[str]] = {}
        for name, source in step.inputs.items():
            parts = source if isinstance(source, tuple) else (source,)
            found = [part.sha256 if isinstance(part, Pinned) else made[part.step, part.output] for part in parts]
            inputs[name] = found if isinstance(source, tuple) else found[0]
        setting = self.box.setting if step.trial else self.setting
        made_of = preimage(step, inputs, self.code.closure(step.kind).digest, setting)
        return self._next_attempt(made_of) if step.calls else made_of

    @property
    def box(self) -> Workshop:
        """The workshop in which foreign code runs: the sandbox's, or this one."""
        return self.sandbox or self

    def _next_attempt(self, parts: dict[str, Any]) -> dict[str, Any]:
        """Let a step ask again for what a provider did not answer: each attempt has a key of its own."""
        attempt = 0
        while True:
            numbered = {**parts, "attempt": attempt} if attempt else parts
            try:
                entry = self.store.entries.get(key(numbered))
                waiting = entry and json.loads(self.store.blobs.read(entry.outputs["inference"].sha256))["retry"]
            except HarnessError:
                return numbered  # damaged: it is made again
            if not waiting:
                return numbered
            attempt += 1

    def finished(self, parts: Mapping[str, Any]) -> tuple[Entry | None, str]:
        """Look up the entry of a finished step; None if there is none, with the damage if it or an output is damaged.

        An entry that no listed run executed counts as none: `lock` or a killed run made it, or somebody put it there.
        """
        try:
            entry = self.store.entries.get(key(parts))
        except HarnessError as bad:
            return None, f"entry: {bad.what}"
        if entry:
            for name, output in entry.outputs.items():
                state = self.store.blobs.state(output.sha256)
                if state != "sound":
                    return None, f"output {name} was {state}"
            if not self.executed.has(entry):
                return None, OTHER if self.executed.has_other(entry) else ""
            self._keep(
                str(parts["kind"])
            )  # the code it names lies beside it, and is written again where it was damaged
        return entry, ""

    def make(self, step: Step, parts: Mapping[str, Any]) -> StepResult:
        """Execute a step and put its outputs and entry into the store, unless another process has just done so.

        Refuses a step that replaces a damaged result and gives other outputs than a listed run recorded.
        """
        with self.store.step_lock(key(parts), self.cancel):
            entry, _ = self.finished(parts)
            if entry:
                return StepResult(entry, "cached", {})
            closure = self._keep(step.kind)
            task = StepTask(step, parts["inputs"], closure)
            with self.store.folder("step") as folder:
                usage: Mapping[str, int]
                if step.trial:
                    usage, facts = self.trials.make(task, parts, self.box.engine, folder, self.limits.most)
                else:
                    outcome, facts = execute(task, self.store, self.runtime(step, parts["inputs"]), folder)
                    usage = outcome.usage
                outputs = collect(step, self.store, folder / "out")
            damage = self._same_again(step, parts, outputs)
            result = StepResult(self.store.entries.put(parts, outputs), "executed", usage, facts, damage)
            self.done(step, result)
            return result

    def runtime(self, step: Step, inputs: Mapping[str, Any] = MappingProxyType({})) -> StepRuntime:
        """Return what a step is executed with; a gateway's socket only if it calls models and has prompts."""
        asks = step.calls and inputs.get("prompts") != NOTHING
        gateway = self.calls.socket if asks and self.calls else None
        numerics = self.setting.numerics_of(step)
        return StepRuntime(
            self.engine, self.limits, self.cancel, lambda text: self.heard(step.name, text), numerics, gateway
        )

    def _same_again(self, step: Step, parts: Mapping[str, Any], outputs: Mapping[str, Output]) -> str:
        """Refuse a step that, made again after damage, comes out otherwise: older runs name what it made before.

        Returns what was wrong with an entry that no run had made, where answers cannot have come out otherwise.
        """
        try:
            before = self.store.entries.get(key(parts))
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
        """Put a kind's code and the environment into the store, once, as the inputs they are."""
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
