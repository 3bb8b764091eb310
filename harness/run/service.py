"""The operations behind the commands `lock` and `run`: lock a manifest, plan it, run it, forecast a run.

Independent of the command line. Prints nothing; progress is passed to callbacks.

An API key that a run needs and that is not there is missed before the first step, not after hours of other work. A key
is needed if a step that asks its model is not in the store, and its answers are not on a tape. No key is read beyond
whether there is one.

Some outputs of a manifest need no model: they are made from published data or printed tables alone. The plan says which
they are, before any lock, and with it the kind of each claim. Such outputs are made here without a lock: only the steps
before them are executed, and only if all that these read is here. No run is recorded.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

from harness.digest import differing_pointers
from harness.engines.engine import NO_IMAGE
from harness.errors import HarnessError, InputError, MissingError
from harness.evidence.claims.kinds import OutputKinds, asking_kinds, planned_kinds
from harness.evidence.compare import Verdict, compare_outputs, overall_verdict
from harness.evidence.explain import FirstDifference, find_first_difference
from harness.evidence.record import Record, self_check
from harness.evidence.trail import absent_files_of_step, read_trail
from harness.manifest.load import LoadedManifest
from harness.manifest.lockfile import Expect, Lock, image_state, load_expect, load_lock, lock_path, save_document
from harness.models.gateway.settings import Keys
from harness.models.provider import Service
from harness.models.tape.tape import Tape
from harness.run.attempts.hidden_splits import require_hidden_elsewhere
from harness.run.engines import (
    LOCAL,
    EngineChoice,
    PlacementChoice,
    find_missing,
    open_engine,
    require_manifest_image,
    require_runnable,
    step_limits,
)
from harness.run.executing.forecast import (
    AskingForecast,
    asking_steps,
    forecast_asking,
    forecast_before,
    look_up_asking_steps,
    look_up_steps,
)
from harness.run.executing.runner import Runner
from harness.run.executing.warm import NOTHING
from harness.run.executing.workshop import Workshop
from harness.run.lock import changed_pins, require_fitting_lock, resolve_manifest
from harness.run.locking.certificates import CERTIFICATES
from harness.run.locking.datasets import TABLES, FetchedData, Tables, placeholder_tables
from harness.run.locking.models import INSTRUMENTS, MODELS, every_model
from harness.run.locking.published import fetch_published
from harness.run.placement.cluster import DaskPlacement, PlacementTerms
from harness.run.planning.plan import (
    check_manifest,
    check_parts,
    make_plan,
    partial_folders,
    unlocked_plan,
    unresolved_pins,
)
from harness.run.progress import (
    AnswerErrors,
    AnswerProgress,
    ErrorLimit,
    Progress,
    count_errors,
    raise_if_stopped,
    stop_on_signals,
)
from harness.steps import JUDGED, Computing, Pinned, Plan, Ref, Step
from harness.store.blobs import Blobs
from harness.store.store import Store
from harness.studies.registry import find


def require_keys(loaded: LoadedManifest, lock: Lock, plan: Plan, workshop: Workshop) -> None:
    """Raise MissingError for the first API key that a run needs and that is not there; servers of loopback need none.

    A model whose tape has answers already is not checked: perhaps nothing of it is left to ask.
    """
    keys, lacking = Keys(os.environ), dict[tuple[str, str], MissingError]()
    for named in every_model(loaded.manifest):
        service = named.model.service
        if service and service.tape != "replay":
            try:
                keys.find_for(service.told["key"], service.told["base_url"])
            except MissingError as bad:
                if not _taped(service, loaded, named.tapes(loaded.manifest)):
                    lacking[named.part, named.name] = bad
    if lacking:
        asked = set(_asked(lock, plan, workshop))
        for model, lack in lacking.items():
            if model in asked:
                raise lack


def _asked(lock: Lock, plan: Plan, workshop: Workshop) -> Iterator[tuple[str, str]]:
    """Yield part and name of each model that a step asks and whose answers are not in the store."""
    steps = {step.name: step for step in plan.steps}
    schedule = look_up_asking_steps(plan, lock, workshop)
    for step in asking_steps(plan):
        prompts = step.inputs["prompts"]
        assert isinstance(prompts, Ref)
        empty = schedule.made.get((prompts.step, prompts.output)) == NOTHING or _may_be_empty(steps[prompts.step])
        if step.calls and step.name not in schedule.results and not empty:
            yield INSTRUMENTS if step.stage == JUDGED else MODELS, str(step.params.get("model"))


def _may_be_empty(prompts: Step) -> bool:
    """Whether a step writes prompts only about what an earlier round left open, which may be nothing."""
    return "unread" in prompts.inputs


def _taped(service: Service, loaded: LoadedManifest, tapes: str) -> bool:
    folder = service.folder(loaded.root, tapes)
    if service.tape == "live" or not folder.is_dir():
        return False
    try:
        with Tape.open(folder) as tape:
            return any(one.body.get("model") == service.model for one in tape.requests())
    except HarnessError:
        return False  # the gateway says what is wrong with it


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
    require_manifest_image(loaded)
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


LACKED = "0" * 64  # stands for a file that is not here
MODEL, DATA, SIZE = "a model's answers", "published data that is not here", "a lock, which says the size of its data"


def foresee_kinds(loaded: LoadedManifest) -> OutputKinds:
    """Return the kinds of claims on each output of a manifest by its plan, which needs no lock; unknown without one."""
    tables = placeholder_tables(find(loaded.manifest.study))
    data, names = FetchedData.placeholder(loaded.manifest).told_apart()
    try:
        planned = unlocked_plan(loaded, data, tables)
    except InputError as bad:
        return OutputKinds({}, lacks=f"it cannot be planned: {bad.what}")
    return OutputKinds(planned_kinds(planned, {one.sha256 for one in tables.values()}, names), asking_kinds(planned))


@dataclass(frozen=True)
class ModelFreeOutputs:
    """Outputs that were made without a model, by digest, and what the other outputs would need."""

    made: Mapping[str, str]
    absent: Mapping[str, frozenset[str]] = field(default_factory=dict)
    needs: Mapping[str, str] = field(default_factory=dict)


def make_model_free(
    loaded: LoadedManifest, outputs: Collection[str], place: RunTarget, progress: Progress
) -> ModelFreeOutputs:
    """Make those outputs that need neither a model nor a file that is missing here, in a store made if needed.

    Raises the error of a step that fails, and InputError if the manifest has no plan.
    """
    store = Store.make(place.store)
    data, tables = _data_here(loaded, store.blobs), _tables(loaded, store.blobs)
    planned, larger = (unlocked_plan(loaded, data, tables, size=size) for size in (1, 2))
    sized = {step.name: step for step in larger.steps}
    needs: dict[str, str] = {}
    absent: dict[str, frozenset[str]] = {}
    todo: dict[str, Step] = {}
    for output in sorted(outputs):
        steps = _steps_of(planned, planned.outputs[output])
        if lack := _lack(steps, sized):
            needs[output] = lack
        else:
            todo |= {step.name: step for step in steps}
            absent[output] = frozenset(path for step in steps for path in absent_files_of_step(step.params))
    if not todo:
        return ModelFreeOutputs({}, needs=needs)
    made = _make(place.workshop(loaded, gpus=False), [step for step in planned.steps if step.name in todo], progress)
    found = {name: planned.outputs[name] for name in outputs if name not in needs}
    return ModelFreeOutputs({name: made[ref.step, ref.output] for name, ref in found.items()}, absent, needs)


def _data_here(loaded: LoadedManifest, blobs: Blobs) -> FetchedData:
    """Return the published data of a manifest as far as it is in the store, with placeholders for the rest."""
    return FetchedData.placeholder(loaded.manifest).with_files_here(
        loaded.manifest, lambda digest: blobs.state(digest) == "sound", partial_folders(loaded)
    )


def _tables(loaded: LoadedManifest, blobs: Blobs) -> Tables:
    """Return the tables that come with the study, copied into the store."""
    found = find(loaded.manifest.study).tables
    return Tables({name: Pinned(blobs.copy(path)[0]) for name, path in found.items()})


def _steps_of(plan: Plan, ref: Ref) -> list[Step]:
    """Return the steps that an output needs, in the order of the plan."""
    needed = {ref.step}
    for step in reversed(plan.steps):
        if step.name in needed:
            needed |= {one.step for one in step.refs()}
    return [step for step in plan.steps if step.name in needed]


def _lack(steps: Sequence[Step], sized: Mapping[str, Step]) -> str:
    """Return what some steps need and have not; empty if they can be executed."""
    if any(step.stage == "responses" or step.infers or step.calls or step.trial for step in steps):
        return MODEL
    if any(LACKED in _pinned(step) for step in steps):
        return DATA
    return "" if all(sized.get(step.name) == step for step in steps) else SIZE


def _pinned(step: Step) -> Iterator[str]:
    for source in step.inputs.values():
        for part in source if isinstance(source, tuple) else (source,):
            if isinstance(part, Pinned):
                yield part.sha256


def _make(workshop: Workshop, steps: Sequence[Step], progress: Progress) -> dict[tuple[str, str], str]:
    made: dict[tuple[str, str], str] = {}
    with workshop.store.in_use(), stop_on_signals(workshop.cancel):
        for done, step in enumerate(steps):
            raise_if_stopped(workshop.cancel)
            progress(step.name, "running", done, len(steps))
            result = workshop.make(step, workshop.preimage(step, made))
            made |= {(step.name, name): one.sha256 for name, one in result.entry.outputs.items()}
            progress(step.name, result.state, done + 1, len(steps))
    return made
