"""The plan of a run: what `harness plan` tells of a manifest before anything runs.

Which steps and items are reused, rescored or rerun, why, what that takes, and which size of shards the measures of
earlier runs suggest. The store is opened for reading; no step is executed, and nothing is written.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.engines.engine import NO_IMAGE, Engine
from harness.errors import HarnessError
from harness.manifest.load import LoadedManifest
from harness.manifest.lockfile import Lock, load_lock
from harness.run.engines import EngineChoice, open_engine, step_limits
from harness.run.environment import count_cores
from harness.run.executing.estimates import (
    Measures,
    ShardProposal,
    TimeEstimate,
    asked_families,
    asks_model,
    estimate_time,
    propose_shard,
)
from harness.run.executing.forecast import (
    AskingForecast,
    PromptMeasure,
    count_answers,
    forecast_asking,
    slice_sizes,
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
from harness.steps import Computing, Plan, Ref, Step
from harness.store.store import Store, list_runs, read_start

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
