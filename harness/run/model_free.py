"""Values that need no model: outputs of a manifest that are made from published data or printed tables alone.

The plan says which they are, before any lock, and with it the kind of each claim. A manifest can lack models and data
that some of its outputs do not need. Such outputs are made here without a lock: only the steps before them are
executed, and only if all that these read is here. No run is recorded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from harness.errors import InputError
from harness.evidence.claims.kinds import OutputKinds, asking_kinds, planned_kinds
from harness.evidence.trail import absent_files_of_step
from harness.manifest.load import LoadedManifest
from harness.run.executing.workshop import Workshop
from harness.run.locking.datasets import FetchedData, Tables, placeholder_tables
from harness.run.planning.plan import partial_folders, unlocked_plan
from harness.run.progress import Progress, raise_if_stopped, stop_on_signals
from harness.run.service import RunTarget
from harness.steps import Pinned, Plan, Ref, Step
from harness.store.blobs import Blobs
from harness.store.store import Store
from harness.studies.registry import find

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
