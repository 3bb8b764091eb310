"""Steps, plans and step keys: pure values that say what is to be done and what could change its result."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.digest import document_digest
from harness.errors import InputError

GATHER = "harness.rows:gather"  # moves rows without reading them
CPU = "cpu"
# The stages of a study, in the order in which two runs can part.
STAGES = ("rows", "prompts", "responses", "judgements", "scores", "analyses")

# How steps compute that infer or fit: with equal bytes on every processor, or by what this one does best.
PORTABLE, MACHINE = "portable", "machine"
NUMERICS, PROCESSOR = "HARNESS_NUMERICS", "HARNESS_PROCESSOR"  # by which a step is told of `machine`, and of its class

THREADS = "HARNESS_THREADS"  # by which a library that sets its own threads is told how many
_THREADS = ("MKL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", THREADS)

JUDGED = "judgements"  # the stage of what judges say: it may see gold, and no step that answers sees it


@dataclass(frozen=True)
class Ref:
    """Reference to an output of another step."""

    step: str
    output: str


@dataclass(frozen=True)
class Pinned:
    """Reference to a file that the lock pins by digest; the runner puts its bytes into the store."""

    sha256: str


Source = Ref | Pinned | tuple[Ref | Pinned, ...]
FACTS = "facts.json"  # what a step observed of the machine: for the journal, never an output, never compared


@dataclass(frozen=True)
class Step:
    """Declaration of a step: its function (`kind`), parameters, inputs and outputs; the value itself runs nothing."""

    name: str
    kind: str  # "package.module:function"
    stage: str
    params: Mapping[str, Any]
    inputs: Mapping[str, Source]
    outputs: tuple[str, ...]
    batch: str = "none"
    derive: bool = False  # an aggregate: audit computes it again
    sees_gold: bool = False  # a stand-in that is shown the answers; record and report say so
    calls: bool = False  # it asks models elsewhere, through the gateway and nothing else
    imported: str = ""  # its answers are somebody else's, from this source; record, claims and audit say so
    infers: bool = False  # a model computes here: it gets the run's device, and its key names it
    threaded: bool = False  # it computes in as many threads as the run's manifest says, and its key names them
    trial: bool = False  # foreign code runs: the runner makes it, one job a program, and never a step from inside

    @property
    def in_threads(self) -> bool:
        """Whether the number of threads can change the outputs: floating-point sums are rounded in another order."""
        return self.infers or self.threaded

    def takes(self) -> dict[str, str]:
        """Give model and source of a step whose answers are imported; empty for any other step."""
        return {"model": str(self.params["model"]), "source": self.imported} if self.imported else {}

    def refs(self) -> Iterator[Ref]:
        """Iterate over the outputs of other steps that this one reads."""
        for source in self.inputs.values():
            parts = source if isinstance(source, tuple) else (source,)
            yield from (part for part in parts if isinstance(part, Ref))


def maker(dataset: str) -> str:
    """Name the step that makes a dataset: the planner, the runner and audit find it by this name alone."""
    return f"{dataset}/make"


@dataclass(frozen=True)
class Plan:
    """Steps in topological order, and the outputs a reader may ask for; no step is run here."""

    steps: tuple[Step, ...]
    outputs: Mapping[str, Ref]
    pinned: Mapping[str, str] = field(default_factory=dict)  # sha256 -> path in the project
    optional: frozenset[str] = frozenset()  # outputs that are made only where a manifest declares them

    def for_outputs(self, declared: Collection[str]) -> Plan:
        """Give the plan without optional outputs that nobody declares, and without steps that only those need."""
        needed = {ref.step for name, ref in self.outputs.items() if name in declared or name not in self.optional}
        for step in reversed(self.steps):
            if step.name in needed:
                needed |= {ref.step for ref in step.refs()}
        outputs = {name: ref for name, ref in self.outputs.items() if ref.step in needed}
        return Plan(tuple(step for step in self.steps if step.name in needed), outputs, self.pinned)

    def check(self) -> Plan:
        """Return the plan itself; InputError for a dangling reference, two steps of one name, or a leak.

        A leak shows right answers to a model or to foreign code, or takes what a judge said for an answer.
        """
        made: dict[tuple[str, str], bool] = {}
        judged: set[str] = set()  # steps that hold what a judge said
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
    """Refuse a trial whose inputs hold right answers, or a trial step that does anything else as well."""
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
    """Environment that every step of a run shares and that can change its result: parts of each step's key."""

    environment: str  # digest of the environment document, or of the image
    device: str
    numerics: Mapping[str, str]
    heavy: Mapping[str, str] = field(default_factory=dict)  # besides, of steps that infer or fit: threads, `machine`

    def numerics_of(self, step: Step) -> dict[str, str]:
        """Numerics settings under which a step computes."""
        return {**self.numerics, **(self.heavy if step.in_threads else {})}


@dataclass(frozen=True)
class Computing:
    """How a manifest has steps compute that infer or fit: in how many threads, `portable` or by the `machine`."""

    threads: int | None = None  # one, where nothing is said
    numerics: str = PORTABLE

    @classmethod
    def of(cls, intent: Mapping[str, Any]) -> Computing:
        """Read it from a manifest's intent."""
        return cls(intent.get("resources", {}).get("threads"), intent.get("numerics", PORTABLE))

    def variables(self, processor: str) -> dict[str, str]:
        """Numerics settings besides the usual ones, on a class of processors; empty for one thread and `portable`.

        In several threads a library may not choose fewer: how a sum is cut into parts is what another number changes.
        Under `machine` libraries choose by the processor, whose class therefore stands beside them.
        """
        found = {}
        if self.threads not in (None, 1):
            found = {**dict.fromkeys(_THREADS, str(self.threads)), "MKL_DYNAMIC": "FALSE", "OMP_DYNAMIC": "FALSE"}
        if self.numerics != PORTABLE:
            found |= {"MKL_CBWR": "AVX2", "NPY_DISABLE_CPU_FEATURES": "", NUMERICS: self.numerics, PROCESSOR: processor}
        return found


def preimage(step: Step, inputs: Mapping[str, str | list[str]], code: str, setting: Setting) -> dict[str, Any]:
    """Collect everything that can change a step's output; kept beside the result, so that `explain` can answer."""
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


def key(parts: Mapping[str, Any]) -> str:
    """Digest of the preimage: names a step's result before it exists."""
    return document_digest(parts)
