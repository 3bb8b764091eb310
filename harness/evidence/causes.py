"""Why a step's output differs: what it rested on twice, compared, and the causes in the order of their likelihood.

Values go in and causes come out. A verdict describes the accepted run by its expectation, `diff` both runs by their
trails, an audit a recorded step and this machine; all of them reason here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.digest import differences
from harness.evidence.trail import interpreter_changes, module_changes
from harness.steps import THREADS, Computing

INPUT, LOCK, ENVIRONMENT, CODE = "input", "lock", "environment", "code"  # kinds of causes, the likeliest first
UNWRITTEN = "a machine that was not written down"
NOTHING = "nothing that is recorded differs: the step is not deterministic, or the cause is not recorded"
RAN, BOTH_RAN, ACCEPTED = ("ran on", "here"), ("ran on", "the other on"), ("accepted on", "here")  # two processors
SHOWN = 6  # names of one cause
_LONGEST = 200  # letters of a processor's name
_BY_THREADS = frozenset(Computing(2).variables(""))  # variables that the number of threads sets
_KERNEL = "OPENBLAS_CORETYPE"  # by which OpenBLAS takes its kernels


@dataclass(frozen=True)
class Cause:
    """One reason why an output may differ: its kind (input, lock, environment or code) and a phrase that names it."""

    kind: str
    text: str


@dataclass(frozen=True)
class Machine:
    """What a step was computed on and with: processor, image, device, threads, numerics and installed environment."""

    processor: str
    image: str
    device: str
    threads: str
    numerics: Mapping[str, str]  # less the variables that the number of threads sets
    environment: Mapping[str, Any]  # an environment document, or the short form of one


@dataclass(frozen=True)
class StepBasis:
    """All that a step's output rests on; `machine` is None where nobody wrote it down."""

    inputs: Mapping[str, Any]
    lock: Mapping[str, Any]
    machine: Machine | None
    code: Mapping[str, str]  # the files of the step's closure, by digest


@dataclass(frozen=True)
class FirstDifference:
    """The first step of a run whose output is not what it should be, and the likeliest causes.

    `step` is empty where every output is as it should be, and what they rest on differs all the same.
    """

    step: str
    causes: tuple[Cause, ...]

    @property
    def text(self) -> str:
        """Format step and causes as one line."""
        if not self.step:
            return f"every output is as it was accepted, under another lock; {describe_causes(self.causes)}"
        return f"{self.step} differs first; {describe_causes(self.causes)}"


def describe_causes(causes: Sequence[Cause]) -> str:
    """Join causes into one phrase; where there is none, say that nothing recorded explains the difference."""
    return "; ".join(cause.text for cause in causes) or NOTHING


def name_few(names: Sequence[str]) -> str:
    """List the first of many names in one line, and count the rest."""
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def name_processor(facts: Mapping[str, Any]) -> str:
    """Name the processor that the facts of a run tell of: as it was observed, else by the model that it calls itself.

    Empty where the facts name none.
    """
    seen = facts.get("processor")
    found = seen.get("name") if isinstance(seen, Mapping) else facts.get("cpu")
    return found[:_LONGEST] if isinstance(found, str) else ""


def split_threads(numerics: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Split numerics settings into the number of threads and the settings that no number of threads changes."""
    return numerics.get(THREADS, "1"), {name: value for name, value in numerics.items() if name not in _BY_THREADS}


def _tell(kind: str, names: Sequence[str]) -> str:
    return f"{kind}: {name_few(names)}"


def find_causes(
    old: StepBasis,
    new: StepBasis,
    ends: tuple[str, str] = RAN,
    tell: Callable[[str, Sequence[str]], str] = _tell,
) -> list[Cause]:
    """List what differs in what two outputs of a step rest on: inputs, lock, environment, code, in this order.

    `ends` are the words before the two processors, and `tell` spells the inputs or parts of a lock that differ.
    """
    causes = []
    for kind, before, after in ((INPUT, old.inputs, new.inputs), (LOCK, old.lock, new.lock)):
        if names := [spell_pointer(pointer) for pointer in differences(before, after)]:
            causes.append(Cause(kind, tell(kind, names)))
    causes += [Cause(ENVIRONMENT, text) for text in _machine_changes(old.machine, new.machine, ends)]
    if files := [spell_pointer(pointer) for pointer in differences(old.code, new.code)]:
        causes.append(Cause(CODE, f"code: {name_few(files)}"))
    return causes


def spell_pointer(pointer: str) -> str:
    """Spell a JSON Pointer as a person writes a path."""
    return pointer[1:].replace("~1", "/").replace("~0", "~")


def processor_change(old: str, new: str, ends: tuple[str, str] = RAN) -> str:
    """Name both processors where they differ; empty where they are the same."""
    return "" if old == new else f"{ends[0]} {old or UNWRITTEN}, {ends[1]} {new or UNWRITTEN}"


def _machine_changes(old: Machine | None, new: Machine | None, ends: tuple[str, str]) -> Iterator[str]:
    """Name all that differs between two machines, what changes numbers most often first."""
    if old is None or new is None:
        known = new or old
        yield f"{ends[0]} {UNWRITTEN}" + (f", {ends[1]} {known.processor}" if known and known.processor else "")
        return
    if processors := processor_change(old.processor, new.processor, ends):
        yield processors
    moved = old.environment != new.environment
    interpreter = list(interpreter_changes(old.environment, new.environment)) if moved else []
    yield from interpreter
    packages = list(module_changes(old.environment, new.environment)) if moved else []
    if packages:
        yield f"packages: {name_few(packages)}"
    if old.threads != new.threads:
        yield f"threads {old.threads} → {new.threads}"
    if numerics := list(_numerics_changes(old.numerics, new.numerics)):
        yield f"numerics: {name_few(numerics)}"
    if old.image != new.image:
        yield f"image: {old.image[:19]} → {new.image[:19]}"
    elif moved and not interpreter and not packages:
        yield "the environment, in what has no name"
    if old.device != new.device:
        yield f"device {old.device} → {new.device}"


def _numerics_changes(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[str]:
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name):
            called = "kernel of OpenBLAS" if name == _KERNEL else name
            yield f"{called} {old.get(name, 'unset')} → {new.get(name, 'unset')}"
