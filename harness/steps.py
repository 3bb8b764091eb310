"""Steps, plans and step keys: plain values that say what to compute and what could change its result."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.digest import document_digest
from harness.errors import InputError

GATHER = "harness.rows:gather"  # moves rows without reading them
CPU = "cpu"
# The stages of a study, in the order in which two runs can diverge.
STAGES = ("rows", "prompts", "responses", "judgements", "scores", "analyses")

# How steps that infer or fit compute: with equal bytes on every processor, or as fast as this processor can.
PORTABLE, MACHINE = "portable", "machine"
NUMERICS, PROCESSOR = "HARNESS_NUMERICS", "HARNESS_PROCESSOR"  # tell a step of `machine`, and its processor class

THREADS = "HARNESS_THREADS"  # tells a library that sets its own threads how many to use
_THREADS = ("MKL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", THREADS)

JUDGED = "judgements"  # the stage of judges' verdicts: it may see gold, and steps that answer do not see its outputs


@dataclass(frozen=True)
class Ref:
    """Reference to an output of another step."""

    step: str
    output: str


@dataclass(frozen=True)
class Pinned:
    """Reference to a file that the lock pins by digest; the runner copies its bytes into the store."""

    sha256: str


Source = Ref | Pinned | tuple[Ref | Pinned, ...]
FACTS = "facts.json"  # what a step observed about the machine, for the journal; not an output, never compared


@dataclass(frozen=True)
class Step:
    """Declaration of a step: its function (`kind`), parameters, inputs and outputs. It does not run anything."""

    name: str
    kind: str  # "package.module:function"
    stage: str
    params: Mapping[str, Any]
    inputs: Mapping[str, Source]
    outputs: tuple[str, ...]
    batch: str = "none"
    derive: bool = False  # an aggregate: audit recomputes it
    sees_gold: bool = False  # a baseline that is shown the answers; record and report say so
    calls: bool = False  # it asks remote models, through the gateway alone
    imported: str = ""  # the source, if its answers come from another party; record, claims and audit say so
    infers: bool = False  # a model runs in it: it gets the run's device, which is part of its key
    threaded: bool = False  # it uses as many threads as the manifest says; the number is part of its key
    trial: bool = False  # untrusted code: the runner runs it, one job per program; the step itself never does

    @property
    def in_threads(self) -> bool:
        """Whether the number of threads can change the outputs, as it changes the order in which sums are rounded."""
        return self.infers or self.threaded

    def takes(self) -> dict[str, str]:
        """Return the model and the source of imported answers that the step stores; empty for any other step."""
        return {"model": str(self.params["model"]), "source": self.imported} if self.imported else {}

    def refs(self) -> Iterator[Ref]:
        """Yield the outputs of other steps that this step reads."""
        for source in self.inputs.values():
            parts = source if isinstance(source, tuple) else (source,)
            yield from (part for part in parts if isinstance(part, Ref))


def maker_step_name(dataset: str) -> str:
    """Return the name of the step that makes a dataset; planner, runner and audit find the step by this name."""
    return f"{dataset}/make"


@dataclass(frozen=True)
class Plan:
    """Steps in topological order, and the outputs that a reader may ask for. It does not run any step."""

    steps: tuple[Step, ...]
    outputs: Mapping[str, Ref]
    pinned: Mapping[str, str] = field(default_factory=dict)  # sha256 -> path in the project
    optional: frozenset[str] = frozenset()  # outputs that are made only if a manifest declares them

    def for_outputs(self, declared: Collection[str]) -> Plan:
        """Return the plan without optional outputs that are not declared, and without the steps that only they need."""
        needed = {ref.step for name, ref in self.outputs.items() if name in declared or name not in self.optional}
        for step in reversed(self.steps):
            if step.name in needed:
                needed |= {ref.step for ref in step.refs()}
        outputs = {name: ref for name, ref in self.outputs.items() if ref.step in needed}
        return Plan(tuple(step for step in self.steps if step.name in needed), outputs, self.pinned)

    def check(self) -> Plan:
        """Return the plan itself; raises InputError for a dangling reference, two steps of one name, or a leak.

        A leak shows right answers to a model or to untrusted code, or uses a judge's verdict as an answer.
        """
        made: dict[tuple[str, str], bool] = {}
        judged: set[str] = set()  # steps whose outputs contain a judge's verdict
        stages: dict[str, str] = {}
        for step in self.steps:
            if step.name in stages:
                raise InputError(f"two steps are called {step.name!r}", next="give each step of a study its own name")
            stages[step.name] = step.stage
            for ref in step.refs():
                if (ref.step, ref.output) not in made:
                    raise InputError(f"step {step.name!r} reads {ref.step}/{ref.output}, which no earlier step makes")
            if step.stage == JUDGED or any(ref.step in judged for ref in step.refs()):
                judged.add(step.name)
                if step.stage == "responses":
                    raise InputError(f"step {step.name!r} would take what a judge said for an answer")
            shown = any(made[ref.step, ref.output] for ref in step.refs())
            if shown and step.stage == "responses" and not (step.sees_gold or step.kind == GATHER):
                raise InputError(f"step {step.name!r} would show the answers to a model")
            for output in step.outputs:
                made[step.name, output] = output == "gold" or shown
        _require_apart(self.steps)
        for name, ref in self.outputs.items():
            if (ref.step, ref.output) not in made:
                raise InputError(f"output {name!r} names {ref.step}/{ref.output}, which no step makes")
            if name == "responses" and stages[ref.step] == JUDGED:
                raise InputError(f"step {ref.step!r} would take what a judge said for an answer")
        return self

    def as_data(self) -> dict[str, Any]:
        """Encode the plan as an identity document, so that two plans can be compared."""
        return {
            "type": "plan/1",
            "outputs": {name: [ref.step, ref.output] for name, ref in self.outputs.items()},
            "steps": [
                {
                    "name": step.name,
                    "kind": step.kind,
                    "stage": step.stage,
                    "params": dict(step.params),
                    "inputs": {name: _source(source) for name, source in step.inputs.items()},
                    "outputs": list(step.outputs),
                    "batch": step.batch,
                    "derive": step.derive,
                    "sees_gold": step.sees_gold,
                    "infers": step.infers,
                    "calls": step.calls,
                    **({"imported": step.imported} if step.imported else {}),
                    **({"threaded": True} if step.threaded else {}),
                    **({"trial": True} if step.trial else {}),
                }
                for step in self.steps
            ],
        }


def _require_apart(steps: Iterable[Step]) -> None:
    """Raise InputError for a trial whose inputs hold right answers, or a trial step that does anything else as well."""
    tell: set[tuple[str, str]] = set()
    for step in steps:
        told = any((ref.step, ref.output) in tell for ref in step.refs())
        tell |= {(step.name, name) for name in step.outputs if name == "gold" or (told and step.stage != "responses")}
        if step.trial and told:
            raise InputError(f"step {step.name!r} would show the answers to foreign code")
        if step.trial and (step.stage != JUDGED or step.calls or step.infers or step.derive):
            raise InputError(f"step {step.name!r} tries foreign code and does more", next=f"make it of stage {JUDGED}")


def _source(source: Source) -> Any:
    if isinstance(source, Pinned):
        return source.sha256
    if isinstance(source, Ref):
        return [source.step, source.output]
    return [_source(part) for part in source]


@dataclass(frozen=True)
class Setting:
    """What all steps of a run share that can change their results (environment, device); part of each step's key."""

    environment: str  # digest of the environment document, or of the image
    device: str
    numerics: Mapping[str, str]
    heavy: Mapping[str, str] = field(default_factory=dict)  # more for steps that infer or fit: threads, `machine`

    def numerics_of(self, step: Step) -> dict[str, str]:
        """Return the numerics settings under which a step computes."""
        return {**self.numerics, **(self.heavy if step.in_threads else {})}


@dataclass(frozen=True)
class Computing:
    """How steps that infer or fit compute under a manifest: number of threads, and `portable` or `machine` numerics."""

    threads: int | None = None  # None means one
    numerics: str = PORTABLE

    @classmethod
    def of(cls, intent: Mapping[str, Any]) -> Computing:
        """Read the settings from a manifest's intent."""
        return cls(intent.get("resources", {}).get("threads"), intent.get("numerics", PORTABLE))

    def variables(self, processor: str) -> dict[str, str]:
        """Return the additional numerics settings for a class of processors; empty for one thread and `portable`.

        With several threads, a library may not choose fewer, because another number of threads cuts sums into other
        parts. Under `machine`, libraries choose by the processor, so its class is one of the settings.
        """
        found = {}
        if self.threads not in (None, 1):
            found = {**dict.fromkeys(_THREADS, str(self.threads)), "MKL_DYNAMIC": "FALSE", "OMP_DYNAMIC": "FALSE"}
        if self.numerics != PORTABLE:
            found |= {"MKL_CBWR": "AVX2", "NPY_DISABLE_CPU_FEATURES": "", NUMERICS: self.numerics, PROCESSOR: processor}
        return found


def key_preimage(step: Step, inputs: Mapping[str, str | list[str]], code: str, setting: Setting) -> dict[str, Any]:
    """Return everything that can change a step's output; it is kept beside the result for the `explain` command."""
    return {
        "type": "key/1",
        "kind": step.kind,
        "params": dict(step.params),
        "inputs": dict(inputs),
        "outputs": list(step.outputs),
        "environment": setting.environment,
        "device": setting.device if step.infers else CPU,
        "numerics": setting.numerics_of(step),
        "batch": step.batch,
        "code": code,
    }


def step_key(parts: Mapping[str, Any]) -> str:
    """Return the digest of the preimage, which names a step's result before it exists."""
    return document_digest(parts)
