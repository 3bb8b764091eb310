"""Kinds of claims: what a claimed value is compared with, computed from what the steps of its value read.

A claim on answers of models tests another thing than one on the authors' own result files, or one on numbers of the
paper against each other. No manifest says which: the kind follows from the steps of a plan, so it is known before any
run; a recorded run must have read the same. What cannot be decided is `unknown`, with the reason. The module knows
neither studies nor values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from harness.evidence.trail import Trail
from harness.step_kinds import current_kind
from harness.steps import STAGES, Pinned, Plan, Step, maker_step_name
from harness.store.blobs import is_digest

PIPELINE, COUNTS, READING, TRANSCRIPTION, UNKNOWN = "pipeline", "counts", "reading", "transcription", "unknown"
CLAIM_KINDS: Mapping[str, str] = {  # in the order in which they are shown
    PIPELINE: "our code over answers of models, or over recordings of brains",
    COUNTS: "counts of a data set, without any answer",
    READING: "our code over the authors' own result files",
    TRANSCRIPTION: "numbers of the paper against each other: no result of ours",
    UNKNOWN: "what the value is made from cannot be told",
}
ANSWERS, ROWS = "responses", STAGES[0]
ASKED, ITEMS, GOLD = "prompts", "items", "gold"
RECORDINGS = "recordings"
MATERIAL = (ITEMS, RECORDINGS, "features", "stimuli")  # outputs of makers of what is asked, shown or recorded


class ClaimKind(NamedTuple):
    """The kind of a claim, and the reason if it is unknown."""

    name: str
    reason: str = ""


@dataclass(frozen=True)
class SourceStep:
    """What one step reads: its data, its models and the outputs of other steps, by a plan or a recorded run."""

    name: str
    stage: str
    outputs: tuple[str, ...]
    before: tuple[str, ...] = ()  # the steps whose outputs it reads
    asks: bool = False  # a model runs in it, or its answers are another party's
    tables: bool = False  # it reads printed numbers: tables that come with the harness
    data: tuple[str, ...] = ()  # the datasets whose files it reads: published ones, or the user's own
    files: bool = False  # it reads other files that the lock pins
    strange: tuple[str, ...] = ()  # digests that no step made and no lock pins

    @property
    def makes_data(self) -> bool:
        """Whether the step makes a dataset."""
        return self.stage == ROWS and self.name == maker_step_name(self.name.rpartition("/")[0])


def planned_steps(plan: Plan, tables: Collection[str], data: Mapping[str, str]) -> dict[str, SourceStep]:
    """Return, for each step of a plan, which data, models and outputs of other steps it reads.

    `tables` are the digests of the tables that come with the harness, `data` gives the dataset of a file by its digest.
    """
    found = {}
    for step in plan.steps:
        pinned = {part.sha256 for part in _parts(step) if isinstance(part, Pinned)}
        before = tuple(dict.fromkeys(ref.step for ref in step.refs()))
        found[step.name] = SourceStep(
            step.name,
            step.stage,
            step.outputs,
            before,
            asks=step.stage == ANSWERS or step.infers or step.calls or bool(step.imported),
            tables=bool(pinned & set(tables)),
            data=tuple(sorted({data[digest] for digest in pinned & data.keys()})),
            files=bool(pinned - set(tables) - data.keys()),
        )
    return found


def _parts(step: Step) -> Iterator[Any]:
    for source in step.inputs.values():
        yield from source if isinstance(source, tuple) else (source,)


def asking_kinds(plan: Plan) -> frozenset[str]:
    """Return the kinds of a plan's steps in which a model runs or is asked."""
    return frozenset(step.kind for step in plan.steps if step.infers or step.calls)


def recorded_steps(trail: Trail, asking: Collection[str], *, widest: bool) -> dict[str, SourceStep]:
    """Return what each step of a recorded run read, by the digests of its inputs.

    If several steps made the same bytes, a step is taken to have read the output of each of them (`widest`), or else of
    the one of the earliest stage. `asking` are the kinds of steps in which models run.
    """
    pins = trail.lock.pins
    tables = {str(pin.get("sha256")) for pin in pins.get("tables", {}).values()}
    pinned, data = set(_digests(pins)), dict(_data(pins))
    makers: dict[str, list[str]] = {}
    found: dict[str, SourceStep] = {}
    for step in trail.steps.values():
        said = step.entry.preimage
        read = [str(part) for one in said["inputs"].values() for part in (one if isinstance(one, list) else [one])]
        before: list[str] = []
        for digest in read:
            makes = sorted(makers.get(digest, ()), key=lambda name: STAGES.index(found[name].stage))
            before += makes if widest else makes[:1]
        outside = [digest for digest in read if digest not in makers]
        found[step.name] = SourceStep(
            step.name,
            step.stage,
            tuple(step.entry.outputs),
            tuple(dict.fromkeys(before)),
            asks=step.stage == ANSWERS or current_kind(str(said["kind"])) in asking,
            tables=any(digest in tables for digest in outside),
            data=tuple(sorted({data[digest] for digest in outside if digest in data})),
            files=any(digest in pinned - tables - data.keys() for digest in outside),
            strange=tuple(digest for digest in outside if digest not in pinned),
        )
        for output in step.entry.outputs.values():
            makers.setdefault(output.sha256, []).append(step.name)
    return found


def _data(pins: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the digest and the dataset of each published file, and of each file of the user's own."""
    for kind in ("datasets", "files"):
        for name, pin in pins.get(kind, {}).items():
            if isinstance(pin.get("sha256"), str):
                yield str(pin["sha256"]), str(name)
            files = pin.get("files", ()) if "items" not in pin else ()
            pairs = files.items() if isinstance(files, Mapping) else files
            yield from ((str(digest), str(name)) for _, digest in pairs)


def _digests(value: Any) -> Iterator[str]:
    """Yield every digest in the pins of a lock, wherever it is."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mapping):
            waiting += one.values()
        elif isinstance(one, list | tuple):
            waiting += one
        elif isinstance(one, str) and is_digest(one):
            yield one


def claim_kind(step: str, steps: Mapping[str, SourceStep]) -> ClaimKind:
    """Return the kind of a claim on an output of a step, from all that the step and those before it read."""
    read = list(_ancestry(step, steps))
    if strange := next((one for one in read if one.strange), None):
        what = f"{strange.name} read {strange.strange[0][:12]}, which no step made and the lock does not pin"
        return ClaimKind(UNKNOWN, what)
    if any(one.asks for one in read):
        return ClaimKind(PIPELINE)
    material = {
        name for one in steps.values() if one.makes_data and set(MATERIAL) & set(one.outputs) for name in one.data
    }
    return _without_models(read, material)


def _without_models(read: Sequence[SourceStep], material: Collection[str]) -> ClaimKind:
    """Return the kind of a claim on what is made without any model; `material` are the data that is asked or shown."""
    makers = [one for one in read if one.makes_data]
    data = {name for one in read for name in one.data}
    counted = all(one.stage in (ROWS, ASKED) for one in read)
    if any(RECORDINGS in one.outputs for one in makers) and not counted:
        return ClaimKind(PIPELINE)
    if data - set(material):
        return ClaimKind(READING)
    if (makers or data) and (counted or all({ITEMS, GOLD} <= set(one.outputs) for one in makers)):
        return ClaimKind(COUNTS)
    return _without_data(read, makers)


def _without_data(read: Sequence[SourceStep], makers: Sequence[SourceStep]) -> ClaimKind:
    """Return the kind of a claim on what is made of no dataset, or of data that is neither asked nor recorded."""
    if makers:
        return ClaimKind(UNKNOWN, f"{makers[0].name} makes neither questions nor recordings, and no model is asked")
    if any(one.files for one in read):
        return ClaimKind(UNKNOWN, f"{read[0].name} reads a file that is no data set")
    if any(one.tables for one in read):
        return ClaimKind(TRANSCRIPTION)
    return ClaimKind(UNKNOWN, f"{read[0].name} reads nothing but its own parameters")


def _ancestry(step: str, steps: Mapping[str, SourceStep]) -> Iterator[SourceStep]:
    """Yield a step and all before it, each once."""
    waiting, seen = [step], {step}
    while waiting:
        one = steps.get(waiting.pop())
        if one is not None:
            yield one
            waiting += (name for name in one.before if name not in seen)
            seen.update(one.before)


@dataclass(frozen=True)
class OutputKinds:
    """The kinds of claims on each output of a manifest, by its plan and, if there is one, by a recorded run."""

    planned: Mapping[str, ClaimKind]
    asking: Collection[str] = ()  # the kinds of steps in which models run
    recorded: Mapping[str, Collection[ClaimKind]] = field(default_factory=dict)  # as far as the digests decide
    lacks: str = ""  # why there is no plan

    def of(self, outputs: Collection[str]) -> ClaimKind:
        """Return the kind of a claim on some outputs; unknown if they are of several kinds, or the run says another."""
        kinds = list(dict.fromkeys(map(self._one, outputs)))
        unknown = [one for one in kinds if one.name == UNKNOWN]
        if unknown or len(kinds) == 1:
            return (unknown or kinds)[0]
        return ClaimKind(UNKNOWN, f"its values are of several kinds: {', '.join(one.name for one in kinds)}")

    def _one(self, output: str) -> ClaimKind:
        if output not in self.planned:
            return ClaimKind(UNKNOWN, self.lacks or f"the plan has no output {output}")
        kind, ran = self.planned[output], self.recorded.get(output, ())
        if ran and kind not in ran:
            other = next(iter(ran))
            reason = other.reason or f"the plan says {kind.name}, and what the run recorded is {other.name}"
            return ClaimKind(UNKNOWN, reason)
        return kind


def planned_kinds(plan: Plan, tables: Collection[str], data: Mapping[str, str]) -> dict[str, ClaimKind]:
    """Return the kind of a claim on each output of a plan; `tables` and `data` as for `planned_steps`."""
    steps = planned_steps(plan, tables, data)
    by_step: dict[str, ClaimKind] = {}
    for ref in plan.outputs.values():
        if ref.step not in by_step:
            by_step[ref.step] = claim_kind(ref.step, steps)
    return {name: by_step[ref.step] for name, ref in plan.outputs.items()}


def recorded_kinds(trail: Trail, asking: Collection[str], outputs: Collection[str]) -> dict[str, list[ClaimKind]]:
    """Return the kinds that a recorded run allows for claims on some of its outputs, the narrowest reading first."""
    found: dict[str, list[ClaimKind]] = {name: [] for name in outputs if name in trail.outputs}
    for widest in (False, True):
        steps = recorded_steps(trail, asking, widest=widest)
        for name, kinds in found.items():
            kinds.append(claim_kind(str(trail.outputs[name]["step"]), steps))
    return found
