"""Estimates of the time of steps, from what runs of a store measured, and the size of shards that follows from it.

A step that asks a model is estimated by the answers that it asks for, from steps that asked the same model; any other
step by steps of its family, else of its kind. What was not measured stays unknown. Reads the store, and writes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.digest import document_digest
from harness.errors import HarnessError
from harness.evidence.record import entry_of_event
from harness.run.executing.forecast import takes_prompts
from harness.run.executing.foreseen_steps import RESPONSES, shard_family
from harness.steps import JUDGED, Pinned, Plan, Step
from harness.store.events import Event
from harness.store.store import Store, follow_journal, list_runs

MOST_RUNS = 20  # newest runs of a store whose measures are read
MOST_MEASURES = 8  # of one model
_HOW = ("seeds", "generation", "model", "tape")  # parameters that do not say which model it is


@dataclass(frozen=True)
class Measure:
    """How long one executed step took in milliseconds, and how many answers it got if it asked a model."""

    run: str
    milliseconds: int
    answers: int = 0


@dataclass(frozen=True)
class Pace:
    """How long a model takes: seconds per answer, seconds before the first one, and the measures behind both."""

    per_answer: float
    before: float
    measures: tuple[Measure, ...]

    def seconds(self, answers: int) -> float:
        """Return the time that so many answers take in one step."""
        return self.before + self.per_answer * answers

    def answers_within(self, seconds: float) -> int:
        """Return how many answers one step gives in a time, at least 1."""
        return max(1, int((seconds - self.before) / self.per_answer)) if self.per_answer else 0

    @property
    def basis(self) -> str:
        """The measures that the pace is based on, in words."""
        runs = list(dict.fromkeys(one.run for one in self.measures))
        many, answers = len(self.measures), sum(one.answers for one in self.measures)
        return f"{many} step{'s' * (many != 1)} with {answers:,} answers, of {_few(runs)}"


def _few(runs: Sequence[str]) -> str:
    return f"run {runs[0]}" + (f" and {len(runs) - 1} more" if len(runs) > 1 else "")


def model_pace(measures: Sequence[Measure]) -> Pace | None:
    """Return a model's pace from its measures; None if there is none with an answer.

    The time before the first answer is told apart if steps of different sizes were measured, else it is counted with
    the answers.
    """
    counted = tuple(one for one in measures if one.answers > 0)
    if not counted:
        return None
    answers = math.fsum(one.answers for one in counted)
    seconds = math.fsum(one.milliseconds for one in counted) / 1000
    simple = Pace(seconds / answers, 0.0, counted)
    sizes = [one.answers for one in counted]
    if max(sizes) < 2 * min(sizes):
        return simple
    mean, level = answers / len(counted), seconds / len(counted)
    spread = math.fsum((one.answers - mean) ** 2 for one in counted)
    slope = math.fsum((one.answers - mean) * (one.milliseconds / 1000 - level) for one in counted) / spread
    before = level - slope * mean
    return Pace(slope, before, counted) if slope > 0 and before >= 0 else simple


@dataclass
class Measures:
    """How long the steps of a store's newest runs took: by model for steps that asked, else by family and kind."""

    asked: dict[str, list[Measure]] = field(default_factory=dict)
    families: dict[tuple[str, str], list[Measure]] = field(default_factory=dict)
    kinds: dict[str, list[Measure]] = field(default_factory=dict)

    @classmethod
    def read(cls, store: Store) -> Measures:
        """Read the measures of the newest runs of a store; a run that cannot be read gives none."""
        found = cls()
        for known in list(reversed(list_runs(store).values()))[:MOST_RUNS]:
            try:
                events = follow_journal(store, known).events
            except HarnessError:
                continue  # its audit says what is wrong
            for event in events:
                if event["event"] == "step.done":
                    found._take(store, known.run, event)
        return found

    def _take(self, store: Store, run: str, event: Event) -> None:
        milliseconds = event["usage"].get("wall_ms")
        if not isinstance(milliseconds, int):
            return
        try:
            entry = entry_of_event(store, event, run)
            said = entry.preimage
            if event["stage"] in (RESPONSES, JUDGED) and isinstance(said["inputs"].get("prompts"), str):
                before = self.asked.setdefault(_model_asked(said), [])
                if len(before) < MOST_MEASURES:
                    first = entry.outputs[str(said["outputs"][0])].sha256
                    with open(store.blobs.deliver(first), "rb") as lines:
                        before.append(Measure(run, milliseconds, sum(1 for _ in lines)))
                return
        except HarnessError:
            return
        one, kind = Measure(run, milliseconds), str(said["kind"])
        for measures in (
            self.families.setdefault((shard_family(event["step"]), kind), []),
            self.kinds.setdefault(kind, []),
        ):
            if len(measures) < MOST_MEASURES:
                measures.append(one)

    def pace(self, step: Step) -> Pace | None:
        """Return the pace of the model that a step asks; None if no run measured it."""
        return model_pace(self.asked.get(_model_asked(_as_asked(step)), ()))

    def seconds(self, step: Step, answers: int | None) -> float | None:
        """Estimate the seconds of a step; None if no run measured the like, or if its answers are not known."""
        if asks_model(step):
            pace = self.pace(step)
            return pace.seconds(answers) if pace and answers is not None else None
        measures = self.families.get((shard_family(step.name), step.kind)) or self.kinds.get(step.kind)
        return math.fsum(one.milliseconds for one in measures) / 1000 / len(measures) if measures else None


def asks_model(step: Step) -> bool:
    """Whether a step asks a model or a stand-in for answers or verdicts."""
    return takes_prompts(step) and step.stage in (RESPONSES, JUDGED)


def _as_asked(step: Step) -> dict[str, Any]:
    inputs = {
        name: [one.sha256 if isinstance(one, Pinned) else "" for one in source] if isinstance(source, tuple) else ""
        for name, source in step.inputs.items()
    }
    return {"kind": step.kind, "params": step.params, "inputs": inputs}


def _model_asked(said: Mapping[str, Any]) -> str:
    """Return what identifies the model that a step asks: its provider, settings and weights, not how it is asked."""
    params = {name: value for name, value in said["params"].items() if name not in _HOW}
    weights = said["inputs"].get("weights", [])
    return document_digest({"type": "asked", "kind": said["kind"], "params": params, "weights": weights})


@dataclass(frozen=True)
class TimeEstimate:
    """The time of some steps: seconds of the measured ones in all, and from begin to end; steps without a measure."""

    seconds: float
    elapsed: float
    jobs: int
    measured: int
    unknown: int

    @property
    def text(self) -> str:
        """The estimate in words; what was not measured has no time."""
        steps = f"{self.unknown} step{'s' * (self.unknown != 1)}"
        if not self.measured:
            return f"unknown: no run in this store measured {steps} like these" if self.unknown else "nothing to do"
        at_once = f", about {format_seconds(self.elapsed)} with {self.jobs} at once" if self.jobs > 1 else ""
        more = f", and {steps} that no run measured" if self.unknown else ""
        return f"about {format_seconds(self.seconds)} of steps{at_once}{more}"


def estimate_time(plan: Plan, steps: Mapping[str, float | None], jobs: int) -> TimeEstimate:
    """Add up the seconds of the steps to execute, by step, None for an unmeasured one; find how long they take at best.

    That is the longest chain of steps that wait for each other, or all of them shared among `jobs`.
    """
    ends: dict[str, float] = {}
    for step in plan.steps:
        begin = max((ends[ref.step] for ref in step.refs()), default=0.0)
        ends[step.name] = begin + (steps.get(step.name) or 0.0)
    known = [seconds for seconds in steps.values() if seconds is not None]
    whole = math.fsum(known)
    elapsed = max(whole / jobs, max(ends.values(), default=0.0))
    return TimeEstimate(whole, elapsed, jobs, len(known), len(steps) - len(known))


def format_seconds(seconds: float) -> str:
    """Format a time in the unit in which a person reads it: 0.4 s, 12 s, 3.5 min, 2.1 h, 4 days."""
    for unit, size, upto in (("s", 1, 100), ("min", 60, 100), ("h", 3600, 48)):
        if seconds < upto * size:
            value = seconds / size
            return f"{value:.1f} {unit}" if value < 10 else f"{value:.0f} {unit}"
    return f"{seconds / 86400:.1f} days"


SHORTEST, AIMED, LONGEST = 60.0, 150.0, 300.0  # seconds of a shard
MOST_SHARD = 100_000  # the bound of the manifest's field


@dataclass(frozen=True)
class AskedFamily:
    """The shards of one model's answers to one dataset: the model's pace, and each shard's number of answers."""

    name: str
    model: str
    pace: Pace | None
    answers: tuple[int | None, ...]

    @property
    def most(self) -> int:
        """The number of answers in the largest shard; 0 if it is not known."""
        return max((one for one in self.answers if one is not None), default=0)

    @property
    def whole(self) -> int:
        """The number of answers in all shards whose size is known."""
        return sum(one for one in self.answers if one is not None)


@dataclass(frozen=True)
class ShardProposal:
    """The size of shards that the measures suggest for the manifest, or None, and the reason."""

    shard: int | None  # answers
    now: int  # answers of the largest shard as it is planned
    seconds: float | None  # of the largest shard as it is planned, of the slowest model
    proposed_seconds: float | None  # of a shard of the proposed size, of the slowest model
    text: str


def asked_families(plan: Plan, answers: Mapping[str, int | None], measures: Measures) -> list[AskedFamily]:
    """Return the shards of each model and dataset of a plan, with what is known of their sizes and time."""
    found: dict[str, list[Step]] = {}
    for step in plan.steps:
        if asks_model(step) and step.stage == RESPONSES and not step.imported:
            found.setdefault(shard_family(step.name), []).append(step)
    return [
        AskedFamily(
            name,
            str(steps[0].params.get("model", "")),
            measures.pace(steps[0]),
            tuple(answers.get(step.name) for step in steps),
        )
        for name, steps in found.items()
    ]


def propose_shard(families: Iterable[AskedFamily], path: str) -> ShardProposal:
    """Propose how many answers a shard has, so that one of the slowest model takes 1 to 5 minutes by the measures.

    Nothing is proposed without measures, or if the shards as planned take that long or cannot be larger.
    """
    every = [one for one in families if one.most]
    timed = [(one, one.pace) for one in every if one.pace]
    now = max((one.most for one in every), default=0)
    if not every:
        return ShardProposal(None, now, None, None, "nothing is asked in shards, or their sizes are not known yet")
    unmeasured = sorted({one.model for one in every if one.pace is None})
    how = f"`harness run --limit 5 {path}` measures a few answers"
    if not timed:
        return ShardProposal(None, now, None, None, f"no run in this store measured {', '.join(unmeasured)}: {how}")
    slowest, pace = max(timed, key=lambda pair: pair[1].per_answer)
    longest = max(of.seconds(one.most) for one, of in timed)
    rest = f"; no run measured {', '.join(unmeasured)}: {how}" if unmeasured else ""
    basis = f"{slowest.model} {format_seconds(pace.per_answer)} an answer, by {pace.basis}"
    whole = max(of.seconds(one.whole) for one, of in timed)
    if longest <= LONGEST and (longest >= SHORTEST or whole <= SHORTEST or all(len(one.answers) == 1 for one in every)):
        told = f"none needed: the longest shard as planned takes about {format_seconds(longest)}"
        return ShardProposal(None, now, longest, None, f"{told} ({basis}){rest}")
    size = min(_rounded(pace.answers_within(AIMED)), max(one.whole for one in every), MOST_SHARD)
    then = pace.seconds(min(size, slowest.whole))
    told = (
        f"`shard: {size}` in the manifest: a shard of {slowest.model} then takes about {format_seconds(then)}, "
        f"and as planned ({slowest.most:,} answers) {format_seconds(pace.seconds(slowest.most))} ({basis})"
    )
    return ShardProposal(size, now, longest, then, told + rest)


def _rounded(count: int) -> int:
    """Round down to two digits, so that the number in a manifest is a plain one."""
    digits = len(str(count))
    return max(1, count if digits < 3 else int(f"{str(count)[:2]}{'0' * (digits - 2)}"))
