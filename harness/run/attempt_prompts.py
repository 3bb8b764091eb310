"""Prompts of a view, made by the steps of the benchmark's own plan: what the lock pins is taken as it lies here.

Gold is made with the data that a maker draws, and is never read here.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from harness.errors import DamageError
from harness.manifest.load import Loaded
from harness.manifest.lockfile import Lock
from harness.run.attempt_rows import PromptTables
from harness.run.closure import code_root
from harness.run.dataset_pins import require_dataset
from harness.run.environment import cores
from harness.run.own_files import bring_files
from harness.run.plan import CheckedManifest
from harness.run.published import require_published
from harness.run.workshop import Workshop
from harness.steps import Pinned, Plan, Ref, Step, maker
from harness.store.blobs import Blobs
from harness.store.store import HOME

PROMPTS = "prompts"  # the stage, and the output of its steps

Made = dict[tuple[str, str], str]


def dataset_of(step: Step) -> str:
    """Name the dataset of a step that writes prompts."""
    return step.name.rpartition(f"/{PROMPTS}/")[0]


def prompt_steps(planned: Plan, datasets: tuple[str, ...]) -> list[Step]:
    """List the steps that write the prompts of some datasets; none for a study that asks nothing."""
    return [step for step in planned.steps if step.stage == PROMPTS and dataset_of(step) in datasets]


@dataclass(frozen=True)
class PromptMaker:
    """Makes the prompts of a view, each dataset on its own, as many at once as there are cores."""

    loaded: Loaded
    checked: CheckedManifest
    lock: Lock
    planned: Plan
    workshop: Workshop

    def tables(self, steps: list[Step]) -> list[PromptTables]:
        """Give the tables that a view is made from; what is not in the store yet is made there."""
        self._bring(steps)
        with ThreadPoolExecutor(cores(), thread_name_prefix="view") as pool:
            made = [done for found in pool.map(self._dataset, self._by_dataset(steps)) for done in found]
        return made

    def _by_dataset(self, steps: list[Step]) -> list[list[Step]]:
        found: dict[str, list[Step]] = {}
        for step in steps:
            found.setdefault(dataset_of(step), []).append(step)
        return list(found.values())

    def _bring(self, steps: list[Step]) -> None:
        """Put the wordings into the store, and the files from outside that lacking data is made from."""
        for digest, name in self.planned.pinned.items():
            used = any(Pinned(digest) in step.inputs.values() for step in steps)
            if used and self._blobs.put((code_root() / name).read_bytes()) != digest:
                raise DamageError(f"{name} is not what the lock pins", next="`harness lock` the manifest again")
        bring_files(self.loaded, self.lock, self.workshop.store)
        made = (self.checked.made[name] for name in {dataset_of(step) for step in steps} if not self._here(name))
        sources = {source for one in made for source in (*one.files.values(), *one.folders.values())}
        said = self.loaded.manifest
        fetched = {name: said.datasets[name] for name in sorted(sources) if name in said.datasets}
        needed = said.model_copy(update={"datasets": fetched})
        pins, beside = self.lock.pins["datasets"], self.loaded.root / HOME
        require_published(needed, pins, self.workshop.store, beside, self.workshop.cancel)

    def _pins(self, dataset: str) -> Mapping[str, Any]:
        pins: Mapping[str, Any] = self.lock.pins["datasets"][dataset]
        return pins

    def _here(self, dataset: str) -> bool:
        """Whether all that a maker makes lies in the store already, by the digests that the lock pins."""
        return all(self._blobs.state(str(pin["sha256"])) == "sound" for pin in self._pins(dataset).values())

    def _dataset(self, steps: list[Step]) -> list[PromptTables]:
        """Make the prompts of one dataset, and what they are rendered from."""
        dataset, by_name = dataset_of(steps[0]), {step.name: step for step in self.planned.steps}
        wanted = list(steps)
        for step in wanted:
            wanted += [by_name[ref.step] for ref in step.refs() if by_name[ref.step] not in wanted]
        drawn, made = maker(dataset), Made()
        if self._here(dataset):
            made = {(drawn, output): str(pin["sha256"]) for output, pin in self._pins(dataset).items()}
        for step in self.planned.steps:
            if step not in wanted or (step.name == drawn and made):
                continue
            entry = self.workshop.make(step, self.workshop.preimage(step, made)).entry
            if step.name == drawn:
                require_dataset(dataset, entry, self.lock, self.workshop.store)
            made |= {(step.name, output): one.sha256 for output, one in entry.outputs.items()}
        return [self._tables(step, made) for step in steps]

    def _tables(self, step: Step, made: Made) -> PromptTables:
        items, images, deliver = step.inputs["items"], self._pins(dataset_of(step)).get("media"), self._blobs.deliver
        assert isinstance(items, Ref)
        media = deliver(images["sha256"]) if images else None
        return PromptTables(deliver(made[step.name, PROMPTS]), deliver(made[items.step, items.output]), media)

    @property
    def _blobs(self) -> Blobs:
        return self.workshop.store.blobs
