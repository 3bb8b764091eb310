"""The plan of a run: what `harness plan` tells of a manifest before anything runs.

Which steps and items are reused, rescored or rerun, why, what that takes, and which size of shards the measures of
earlier runs suggest. The store is opened for reading; no step is executed, and nothing is written.

A step that asks a model is estimated by the answers that it asks for, from steps that asked the same model; any other
step by steps of its family, else of its kind. What was not measured stays unknown.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.digest import document_digest
from harness.engines.engine import NO_IMAGE, Engine
from harness.errors import HarnessError
from harness.evidence.record import entry_of_event
from harness.manifest.load import LoadedManifest
from harness.manifest.lockfile import Lock, load_lock
from harness.run.engines import EngineChoice, open_engine, step_limits
from harness.run.environment import count_cores
from harness.run.executing.forecast import (
    AskingForecast,
    PromptMeasure,
    count_answers,
    forecast_asking,
    slice_sizes,
    takes_prompts,
)
from harness.run.executing.foreseen_steps import (
    ACTIONS,
    RERUN,
    RESCORED,
    RESPONSES,
    REUSED,
    EarlierRun,
    ForeseenStep,
    Reason,
    StepForeseer,
    newest_finished_run,
    shard_family,
)
from harness.run.executing.workshop import Workshop
from harness.run.lock import changed_pins, foresee_lock, require_fitting_lock
from harness.run.planning.plan import check_manifest, check_parts, make_plan
from harness.steps import JUDGED, Computing, Pinned, Plan, Ref, Step
from harness.store.journal import Event
from harness.store.store import Store, follow_journal, list_runs, read_start

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


_NEVER = b"no run of this store had this environment"


@dataclass(frozen=True)
class PlannedGroup:
    """Steps of one family that are treated alike for the same reasons."""

    family: str
    stage: str
    action: str
    sure: bool
    reasons: tuple[Reason, ...]
    steps: int
    items: int | None  # of the dataset, in these steps; None if they are not of single items, or not known
    seconds: float | None  # None if no run measured the like of any of them


@dataclass(frozen=True)
class PlannedItems:
    """The items of a dataset and one model: how many are asked again, scored again, and reused as they are."""

    dataset: str
    model: str
    rerun: int
    rescored: int
    reused: int


@dataclass(frozen=True)
class RunPlan:
    """The plan of a run of one manifest against a store."""

    manifest: str
    moved: list[str]  # what of the lock does not fit, and would be pinned anew; empty if it fits
    earlier: str  # the run that it is compared with; empty if none finished
    unread: list[str]  # newer runs that cannot be read
    steps: list[ForeseenStep]
    groups: list[PlannedGroup]
    items: list[PlannedItems]
    asking: list[AskingForecast]
    time: TimeEstimate
    shard: ShardProposal
    written_shard: int | None  # what the manifest says now
    seconds: Mapping[str, float | None] = field(default_factory=dict)  # by step that is executed

    @property
    def counts(self) -> dict[str, int]:
        """The number of steps by what becomes of them."""
        return {action: sum(one.action == action for one in self.steps) for action in ACTIONS}


def plan_run(loaded: LoadedManifest, root: Path, choice: EngineChoice, limit: int = 0, jobs: int = 0) -> RunPlan:
    """Plan a run of a manifest against the store at `root`, which may not exist yet; executes and writes nothing.

    A lock that does not fit is foreseen, if what it pins is there already. Raises InputError otherwise.
    """
    workshop = _reading_workshop(loaded, root, choice)
    lock, moved = _lock_of(loaded, workshop)
    planned = make_plan(check_parts(loaded), lock, limit)
    earlier: EarlierRun | None = None
    unread: list[str] = []
    if workshop:
        earlier, unread = newest_finished_run(workshop.store, loaded.manifest.name, limit)
    foreseer = StepForeseer(planned, lock, workshop, earlier)
    steps = foreseer.foresee()
    store = workshop.store if workshop else None
    prompts = PromptMeasure(lock, foreseer.schedule, store)
    answers = {step.name: count_answers(step, prompts) for step in planned.steps if asks_model(step)}
    measures = Measures.read(store) if store else Measures()
    seconds = {one.step.name: measures.seconds(one.step, answers.get(one.step.name)) for one in steps if one.executed}
    at_once = jobs or max(1, count_cores() // (loaded.manifest.resources.threads or 1))
    items = _items_of(planned)
    return RunPlan(
        loaded.manifest.name,
        moved,
        earlier.run if earlier else "",
        unread,
        steps,
        _groups(steps, seconds, items),
        list(_by_item(steps, items)),
        forecast_asking(loaded, lock, foreseer.schedule, store),
        estimate_time(planned, seconds, at_once),
        propose_shard(asked_families(planned, answers, measures), loaded.path.relative_to(loaded.root).as_posix()),
        loaded.manifest.shard,
        seconds,
    )


def _lock_of(loaded: LoadedManifest, workshop: Workshop | None) -> tuple[Lock, list[str]]:
    """Return a manifest's lock, or the one that would replace it, with what of it does not fit."""
    held = load_lock(loaded.root, loaded.manifest.name)
    if held is None:
        check_manifest(loaded)
        return require_fitting_lock(loaded, held), []
    moved = changed_pins(loaded, held)
    return (foresee_lock(loaded, held, workshop), moved) if moved else (held, [])


def _reading_workshop(loaded: LoadedManifest, root: Path, choice: EngineChoice) -> Workshop | None:
    """Return a workshop on a store that is opened for reading; None if there is no store yet.

    The environment of an image is that of the newest run in it. An image in which nothing ran yet has an unknown one,
    so that no stored step is taken for one of it.
    """
    if not (root / "format").exists():
        return None
    store, manifest = Store.open(root), loaded.manifest
    computing = Computing(manifest.resources.threads, manifest.numerics)
    allowed = step_limits(manifest.resources, choice.memory)
    engine = open_engine(choice, loaded.root, manifest.image, manifest.resources)
    made = Workshop(store, engine, allowed, environment=_environment(store, engine), computing=computing)
    if manifest.sandbox and engine.image != NO_IMAGE:
        apart = manifest.resources.model_copy(update={"gpus": 0})
        box = open_engine(choice, loaded.root, manifest.sandbox, apart)
        made.sandbox = Workshop(store, box, allowed, made.code, environment=_environment(store, box))
    return made


def _environment(store: Store, engine: Engine) -> bytes | None:
    """Return the environment of an engine's image as a run recorded it; None for an engine that has no image."""
    if engine.image == NO_IMAGE:
        return None
    for known in reversed(list_runs(store).values()):
        begun = read_start(store, known)
        for said in (begun, begun.get("sandbox")) if begun else ():
            if said and said.get("image") == engine.image:
                try:
                    return store.blobs.read(str(said["environment"]))
                except HarnessError:
                    continue
    return _NEVER


def _items_of(planned: Plan) -> dict[str, int]:
    """Return the number of items of each step that is of one slice of a dataset."""
    steps = {step.name: step for step in planned.steps}
    found: dict[str, int] = {}
    for step in planned.steps:
        for name in ("items", "prompts", "responses"):
            source = step.inputs.get(name)
            if isinstance(source, Ref):
                sizes = slice_sizes(steps[source.step])
                count = sizes.get(source.output) if sizes else found.get(source.step)
                if count is not None:
                    found[step.name] = count
                    break
    return found


def _groups(
    steps: Iterable[ForeseenStep], seconds: Mapping[str, float | None], items: Mapping[str, int]
) -> list[PlannedGroup]:
    """Put steps of one family that are treated alike for the same reasons together, executed ones first."""
    found: dict[tuple[str, str, bool, tuple[Reason, ...]], list[Step]] = {}
    for one in steps:
        place = (shard_family(one.step.name), one.action, one.sure, one.reasons)
        found.setdefault(place, []).append(one.step)
    groups = []
    for (family, action, sure, reasons), members in found.items():
        known = [spent for step in members if (spent := seconds.get(step.name)) is not None]
        counted = [items[step.name] for step in members if step.name in items]
        groups.append(
            PlannedGroup(
                family,
                members[0].stage,
                action,
                sure,
                reasons,
                len(members),
                sum(counted) if len(counted) == len(members) else None,
                math.fsum(known) if len(known) == len(members) else None,
            )
        )
    return sorted(groups, key=lambda one: ACTIONS.index(one.action))


def _by_item(steps: Iterable[ForeseenStep], items: Mapping[str, int]) -> Iterator[PlannedItems]:
    """Yield for each dataset and model how many items are asked again, only scored again, and reused."""
    every = {one.step.name: one for one in steps}
    answered: dict[str, str] = {}  # by step that reads one shard of answers, at any depth: the step that gave them
    worst: dict[str, str] = {}  # by step that answers
    for name, one in every.items():
        if one.step.stage == RESPONSES and asks_model(one.step):
            answered[name], worst[name] = name, RERUN if one.executed else REUSED
            continue
        sources = {answered[ref.step] for ref in one.step.refs() if ref.step in answered}
        if len(sources) == 1 and not one.step.derive and name in items:
            [answered[name]] = sources
            if one.executed and one.action == RESCORED and worst[answered[name]] == REUSED:
                worst[answered[name]] = RESCORED
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for name, action in worst.items():
        place = (name.partition("/")[0], str(every[name].step.params.get("model", "")))
        of = counts.setdefault(place, {RERUN: 0, RESCORED: 0, REUSED: 0})
        of[action] += items.get(name, 0)
    for (dataset, model), of in counts.items():
        yield PlannedItems(dataset, model, of[RERUN], of[RESCORED], of[REUSED])
