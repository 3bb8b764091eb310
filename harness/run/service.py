"""The operations behind the commands `lock` and `run`: lock a manifest, plan it, run it, forecast a run.

Independent of the command line. Prints nothing; progress is passed to callbacks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

from harness.digest import differing_pointers
from harness.engines.engine import NO_IMAGE
from harness.errors import InputError, MissingError
from harness.evidence.compare import Verdict, compare_outputs, overall_verdict
from harness.evidence.explain import FirstDifference, find_first_difference
from harness.evidence.record import Record, self_check
from harness.evidence.trail import read_trail
from harness.manifest.load import LoadedManifest
from harness.manifest.lockfile import Expect, Lock, image_state, load_expect, load_lock, lock_path, save_document
from harness.run.attempts.hidden_splits import require_hidden_elsewhere
from harness.run.engines import EngineChoice, open_engine, step_limits
from harness.run.executing.forecast import AskingForecast, forecast_asking, forecast_before, look_up_steps
from harness.run.executing.needed_keys import require_keys
from harness.run.executing.runner import Runner
from harness.run.executing.workshop import Workshop
from harness.run.lock import changed_pins, require_fitting_lock, resolve_manifest
from harness.run.locking.certificates import CERTIFICATES
from harness.run.locking.datasets import TABLES
from harness.run.locking.published import fetch_published
from harness.run.placement.choice import LOCAL, PlacementChoice
from harness.run.placement.cluster import DaskPlacement, PlacementTerms
from harness.run.planning.plan import check_manifest, check_parts, make_plan, unresolved_pins
from harness.run.planning.preconditions import find_missing, require_image, require_runnable
from harness.run.progress import AnswerErrors, AnswerProgress, ErrorLimit, Progress, count_errors, stop_on_signals
from harness.steps import Computing, Plan
from harness.store.store import Store


@dataclass(frozen=True)
class RunTarget:
    """Where and how a manifest is run: store, engine, parallel steps, allowed errors, and the event that stops it."""

    store: Path
    choice: EngineChoice = field(default_factory=EngineChoice)
    jobs: int = 0
    beside: Path | None = None  # a store that may have published data already; default: the project's own
    errors: ErrorLimit | None = None  # how many of a model's rows may be without an answer; None: not all of them
    placement: PlacementChoice = field(default_factory=PlacementChoice)  # where its steps are executed
    stop: Event | None = None  # ends the work early when it is set
    run: str = ""  # the id of the run, if it has one before it begins
    asked: Mapping[str, str] | None = None  # the agent's principal that asked for the run, and its key

    def workshop(self, loaded: LoadedManifest, *, gpus: bool = True) -> Workshop:
        """Open the engine, open or create the store, and open the sandbox if the manifest names an image for it.

        With `gpus` false, as when data is made, the engine gets no GPU and there is no sandbox.
        """
        manifest, wanted = loaded.manifest, loaded.manifest.resources
        resources = wanted if gpus else wanted.model_copy(update={"gpus": 0})  # data is made on the CPU
        engine = open_engine(self.choice, loaded.root, manifest.image, resources)
        store, allowed = Store.make(self.store), step_limits(resources, self.choice.memory)
        computing = Computing(resources.threads, manifest.numerics)
        made = Workshop(store, engine, allowed, computing=computing, cancel=self.stop)
        if manifest.sandbox and engine.image != NO_IMAGE and gpus:  # no foreign code runs when data is made
            box = open_engine(self.choice, loaded.root, manifest.sandbox, wanted.model_copy(update={"gpus": 0}))
            made.sandbox = Workshop(store, box, allowed, made.code, cancel=made.cancel)
        return made

    @contextmanager
    def placed(self, loaded: LoadedManifest, workshop: Workshop) -> Iterator[DaskPlacement | None]:
        """Context manager that connects the placement; yields None where every step is executed by this process."""
        if self.placement.kind == LOCAL:
            yield None
            return
        manifest, choice = loaded.manifest, self.choice
        terms = PlacementTerms(choice.isolation, manifest.resources, choice.memory, manifest.numerics)
        with DaskPlacement(self.placement, workshop, terms).open() as placement:
            yield placement

    def bounds(self, loaded: LoadedManifest) -> str:
        """Return which memory that a manifest asks for its steps do not get here, as text; empty if they get it all."""
        return step_limits(loaded.manifest.resources, self.choice.memory).beyond


@dataclass(frozen=True)
class WrittenLock:
    """A lock as it was written: whether its file changed, and which pins moved, are unresolved or lack files."""

    lock: Lock
    path: Path
    changed: bool
    moved: list[str]
    unresolved: dict[str, str]
    absent: dict[str, dict[str, str]] = field(default_factory=dict)  # by dataset of many files: those not here, and why
    healed: int = 0  # damaged blobs of the store that were written again
    needs: list[MissingError] = field(default_factory=list)  # packages that a run would need and that are missing here


@dataclass(frozen=True)
class FinishedRun:
    """A run with its record, the verdicts of comparing it with the expectation, own checks and missing answers."""

    manifest: str
    record: Record
    verdict: str
    outputs: list[Verdict]
    store: Store
    expect: Expect | None
    lock: Lock
    checks: str = ""  # what its own checks say: pass, fail, or nothing if it makes none
    gaps: list[AnswerErrors] = field(default_factory=list)  # what models left unanswered
    cause: FirstDifference | None = None  # where it first differs from what was accepted, and why

    @property
    def image_state(self) -> str:
        """How the run's image relates to its lock: `none`, `pinned` or `moved`."""
        return image_state(self.lock, self.record.body["image"])

    @property
    def device(self) -> str:
        """The GPUs that the run computed on, or `cpu`, with the reason if GPUs were wanted but not there."""
        facts = self.record.body["facts"]
        gpus = facts.get("gpus")
        if gpus:
            return f"{len(gpus)} x {gpus[0]['model']}"
        return f"cpu (no GPU: {facts['gpus_missing']})" if "gpus_missing" in facts else "cpu"


def lock_manifest(loaded: LoadedManifest, place: RunTarget) -> WrittenLock:
    """Resolve every name of a manifest, which fetches and makes its data, and write its lock, if anything changed.

    Names that cannot be resolved are pinned as such and listed. Raises an error if no plan can be made from the lock
    for any other reason.
    """
    this = check_manifest(loaded)
    require_image(loaded)
    workshop = place.workshop(loaded, gpus=False)
    path = lock_path(loaded.root, loaded.manifest.name)
    with workshop.store.in_use(), stop_on_signals(workshop.cancel):
        had = fetch_published(loaded.manifest, workshop.store, workshop.cancel)
        new = resolve_manifest(loaded, this, workshop, had)
        require_hidden_elsewhere(loaded, new, workshop.store)
    lacking = unresolved_pins(new)
    needs = []
    if not lacking:
        planned = make_plan(this, new)  # the manifest's outputs must fit before a lock is written
        needs = list(find_missing(planned.steps)) if workshop.engine.image == NO_IMAGE else []
    try:
        old = load_lock(loaded.root, loaded.manifest.name)
    except InputError:
        old, moved = None, ["the old lock, which could not be read"]
    else:
        moved = ["everything: there was no lock"]
    if old:
        data = differing_pointers(old.pins["datasets"], new.pins["datasets"])
        moved = list(dict.fromkeys([*changed_pins(loaded, old), *(f"pins/datasets{pointer}" for pointer in data)]))
        moved += [f"pins/{kind}" for kind in (CERTIFICATES, TABLES) if new.of(kind) and not old.of(kind)]
        if not moved:  # an older lock may pin packages in another way; if it fits, it stays
            new = replace(new, pins={**new.pins, "packages": old.pins["packages"]})
    changed = save_document(path, new.data)
    healed = len(workshop.store.blobs.healed)
    return WrittenLock(new, path, changed, moved, dict(lacking), had.absent, healed, needs)


def plan_locked(loaded: LoadedManifest, limit: int = 0) -> tuple[Lock, Plan]:
    """Check a loaded manifest and its lock, and return the lock and the plan; InputError if the lock does not fit.

    Every run is planned here; nothing is started and nothing is written.
    """
    this = check_parts(loaded)
    try:
        lock = require_fitting_lock(loaded, load_lock(loaded.root, loaded.manifest.name))
    except InputError:
        check_manifest(loaded)  # errors that no lock would fix are raised first
        raise
    return lock, make_plan(this, lock, limit)


def run_manifest(
    loaded: LoadedManifest,
    place: RunTarget,
    progress: Progress,
    limit: int = 0,
    asked: Callable[[AnswerProgress], None] | None = None,
    foreseen: Callable[[list[AskingForecast]], None] | None = None,
) -> FinishedRun:
    """Run a manifest and compare its outputs with the expectation; return record, verdicts and missing answers.

    No step is executed before manifest, lock, engine, machine and API keys have passed their checks. Then `foreseen`
    is called with what will be asked, before the first step. `asked` is called with the progress of answers.
    """
    expect = load_expect(loaded.root, loaded.manifest.name)
    held, planned = plan_locked(loaded, limit)
    workshop = place.workshop(loaded)
    require_runnable(loaded, planned, workshop.engine, workshop.box.engine)
    require_keys(loaded, held, planned, workshop)
    if foreseen:
        foreseen(forecast_before(loaded, held, planned, workshop))
    with place.placed(loaded, workshop) as placement:
        runner = Runner(loaded, held, planned, workshop, limit=limit, jobs=place.jobs, beside=place.beside)
        runner.placement, runner.name, runner.asked = placement, place.run, place.asked
        if place.errors and place.errors.all:
            runner.asking["refusals"] = 0
        runner.reporter.on_answers = asked
        record = runner.run(progress)
    answers = [
        (step.params, runner.schedule.results[step.name].entry)
        for step in planned.steps
        if step.calls or step.infers or step.imported
    ]
    verdicts = compare_outputs(record, expect, held.sha256, held.intent["outputs"], workshop.store.blobs.deliver)
    verdict, checks = overall_verdict(record, verdicts), self_check(record.outputs, workshop.store.blobs.deliver)
    unanswered = count_errors(workshop.store, answers)
    cause = None
    if expect and not limit and any(one.verdict != "agreed" or one.detail for one in verdicts):
        order = [step.name for step in planned.steps]
        cause = find_first_difference(read_trail(workshop.store, record.run), expect, order)
    return FinishedRun(
        loaded.manifest.name, record, verdict, verdicts, workshop.store, expect, held, checks, unanswered, cause
    )


@dataclass(frozen=True)
class RunForecast:
    """A dry run: for each stage, how many steps are in the store and how many would be executed; and what is asked."""

    manifest: str
    stages: dict[str, tuple[int, int]]
    asking: list[AskingForecast] = field(default_factory=list)


def forecast_run(loaded: LoadedManifest, place: RunTarget, limit: int = 0) -> RunForecast:
    """Count for each stage the steps that a run would take from the store, and those it would execute; executes none.

    A step whose inputs are not known yet counts as one to execute.
    """
    lock, planned = plan_locked(loaded, limit)
    workshop = place.workshop(loaded) if (place.store / "format").exists() else None
    schedule = look_up_steps(planned, lock, workshop)
    stages = {step.stage: (0, 0) for step in planned.steps}
    for step in schedule.plan.steps:
        kept, made = stages[step.stage]
        stages[step.stage] = (kept + 1, made) if step.name in schedule.results else (kept, made + 1)
    asking = forecast_asking(loaded, lock, schedule, workshop.store if workshop else None)
    return RunForecast(loaded.manifest.name, stages, asking)
