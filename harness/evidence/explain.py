"""Explanations of cache hits and misses: why each step of a run was executed, or taken from the store.

It reads recorded runs alone; an earlier run that cannot be read is named where no reason is found, and never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import HarnessError, InputError
from harness.evidence.causes import BOTH_RAN, INPUT, SHOWN, Cause, find_causes, name_few
from harness.evidence.first_difference import step_basis
from harness.evidence.pinned_files import changed_files, changed_lines, file_name
from harness.evidence.trail import RecordedStep, Trail, read_trail
from harness.store.store import Store

LINES = 4  # of an edited file that are named
LOOKED = 3  # earlier runs of a manifest in which a step is looked for


@dataclass(frozen=True)
class StepExplanation:
    """The reason why one step was executed or taken from the store, with its key and the parts of that key."""

    step: str
    state: str
    key: str
    reason: str
    parts: dict[str, Any]


def explain(store: Store, run: str, wanted: str = "") -> Iterator[StepExplanation]:
    """Explain for every step of a run, or for the one `wanted` and those below it, why it was executed or cached.

    The reason is what changed in the step's key since the newest of the LOOKED runs before of the same manifest.
    Refuses a `wanted` that names no step of the run, and a run that the store does not vouch for.
    """
    trail = read_trail(store, run)
    names = [name for name in trail.steps if not wanted or name == wanted or name.startswith(f"{wanted}/")]
    if wanted and not names:
        near = ", ".join(list(trail.steps)[:6])
        raise InputError(f"this run has no step {wanted!r}", where=run, next=f"it has, among others: {near}")
    earlier = _earlier(store, trail)
    for name in names:
        step = trail.steps[name]
        yield StepExplanation(
            name, step.state, step.entry.key, _reason(step, trail, earlier), dict(step.entry.preimage)
        )


@dataclass(frozen=True)
class _Earlier:
    """The runs of the same manifest that were started before one, newest first, and what else there may be."""

    trails: list[Trail]
    gap: str  # why a step that none of them had may still have been made before


def _earlier(store: Store, trail: Trail) -> _Earlier:
    found: list[Trail] = []
    unread: list[str] = []
    started = [event["run"] for event in store.heads.read().events if event["event"] == "run.started"]
    before = started[: started.index(trail.run)] if trail.run in started else []
    for run in reversed(before):
        try:
            other = read_trail(store, run)
            if other.manifest_name == trail.manifest_name:
                found.append(other)
        except HarnessError:
            unread.append(run)  # it explains nothing, and is named
        if len(found) == LOOKED:
            return _Earlier(found, f"only the {LOOKED} runs before this one were looked at")
    return _Earlier(found, f"run {', '.join(unread)} cannot be read" if unread else "")


def _reason(step: RecordedStep, trail: Trail, earlier: _Earlier) -> str:
    if step.state == "cached":
        return "its key stands in the store: nothing that can change its output has changed"
    for other in earlier.trails:
        before = other.steps.get(step.name)
        if before:
            moved = changed_key_parts(before, other, step, trail)
            if moved:
                return f"since run {other.run}: {'; '.join(moved)}"
            return f"its result of run {other.run} was lost or damaged"
    none = "no earlier run of this manifest in this store had this step"
    return f"{none} ({earlier.gap})" if earlier.gap else none


def changed_key_parts(before: RecordedStep, old: Trail, after: RecordedStep, new: Trail) -> list[str]:
    """List the parts of a step's key that changed between two runs, the likeliest cause of another output first.

    Code is told by file, packages by name and version, and a pinned input file by its name and changed lines.
    """
    left, right = step_basis(old, before, observed=False), step_basis(new, after, observed=False)
    return [cause.text for cause in find_causes(left, right, tell=_tell_pinned(before, old, after, new))]


def step_causes(before: RecordedStep, old: Trail, after: RecordedStep, new: Trail) -> list[Cause]:
    """List why a step made other outputs in two runs: what changed in its key, and the processor it ran on."""
    tell = _tell_pinned(before, old, after, new)
    return find_causes(step_basis(old, before), step_basis(new, after), BOTH_RAN, tell)


def _tell_pinned(
    before: RecordedStep, old: Trail, after: RecordedStep, new: Trail
) -> Callable[[str, Sequence[str]], str]:
    """Return the way to spell changed inputs with the pinned files behind them, and their changed lines."""

    def told(kind: str, names: Sequence[str]) -> str:
        spelled = []
        for name in names[:SHOWN]:
            ends = changed_files(before, old, after, new, f"/{name}") if kind == INPUT else iter(())
            spelled.append(name + "".join(f" ({_file(left, old, right, new)})" for left, right in ends))
        return name_few([*spelled, *names[SHOWN:]])

    return told


def _file(left: str, old: Trail, right: str, new: Trail) -> str:
    """Name a pinned file that moved, and its lines that did."""
    lines = [str(one.line) for one in changed_lines(left, old, right, new)]
    shown = ", ".join(lines[:LINES]) + (f" and {len(lines) - LINES} more" if len(lines) > LINES else "")
    return file_name(left, old, right, new) + (f", line{'s' * (len(lines) > 1)} {shown}" if lines else "")
