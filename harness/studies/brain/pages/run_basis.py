"""The data behind figures and page: the generation, the data sets with their worlds, the models, and the documents.

Reads scores from the documents; independent of how they are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.kit.documents import number, section
from harness.kit.report import MANIFEST
from harness.studies.brain.measures.naming import LANGUAGE_ARRAYS, bands, families, member
from harness.studies.brain.terms import SPLITS

DOCUMENTS = ("performance", "choices", "stars", "omega", "tests", "sizes", "findings", "length_check")
WORLDS: Mapping[str, str] = {
    "default": "passage signal in no text: a planted drift",
    "topic": "all passage signal in the text, and in the LLM",
}
OASM, LLM, UNTRAINED = "OASM", *LANGUAGE_ARRAYS
UNTRAINED_SEED = "untrained"  # a fact of a text model; in `choices`, the key of the sets of seeds
WIDTHS = (OASM, "SPs", "WP", "RAMP")  # families by width or length, without a text; all others are text models


@dataclass(frozen=True)
class SplitScore:
    """The score of one model, or of the best of a family, under one split."""

    value: float | None
    participants: Mapping[str, float] = field(default_factory=dict)
    nested: float | None = None  # score of the choice inside the training folds
    model: str = ""  # the member of the family


@dataclass(frozen=True)
class BrainRun:
    """The generation, the facts of each data set and model by name, the groups of fits, and the documents by name."""

    generation: str
    datasets: Mapping[str, Mapping[str, Any]]
    models: Mapping[str, Mapping[str, Any]]
    groups: tuple[Mapping[str, Any], ...]
    documents: Mapping[str, Mapping[str, Any]]
    manifest: Mapping[str, Any] = field(default_factory=dict)  # its name and its models, as planning fills it in

    @staticmethod
    def of(params: Mapping[str, Any], documents: Mapping[str, Mapping[str, Any]]) -> BrainRun:
        """Read a step's parameters; `models` and `groups` are optional, and `datasets` may be a list."""
        return BrainRun(
            str(params["generation"]),
            _by_name(params["datasets"]),
            params.get("models", {}),
            tuple(params.get("groups", ())),
            documents,
            params.get(MANIFEST) or {},
        )

    @property
    def simulated(self) -> bool:
        """Whether every data set is a simulation; a data set without a world is not."""
        return bool(self.datasets) and all(map(self.world, self.datasets))

    def world(self, dataset: str) -> str:
        """Return the world that a data set simulates; empty if it is not a simulation."""
        return str(self.datasets.get(dataset, {}).get("world") or "")

    def changed(self, dataset: str) -> Mapping[str, Any]:
        """Return the weights of the simulation that the manifest changed, by name; usually none."""
        return section(self.datasets.get(dataset, {}), "weights")

    def layout(self, dataset: str) -> str:
        """Return the layout of a data set's rows; empty if it is not given."""
        return str(self.datasets.get(dataset, {}).get("layout") or "")

    def title(self, dataset: str) -> str:
        """Return a data set's name with its world."""
        world = self.world(dataset)
        return f"{dataset} (world: {world})" if world else dataset

    def document(self, name: str) -> Mapping[str, Any]:
        """Return a document; empty if the run did not make it."""
        return section(self.documents.get(name))

    def findings(self, dataset: str, *, members: bool = False) -> dict[str, Mapping[str, Any]]:
        """Return the entries of `findings` for language models and sets of seeds, trained models first.

        A set of seeds replaces its members. With `members`, only the members of sets are returned.
        """
        own = {
            name: each
            for name, each in section(self.document("findings"), dataset).items()
            if isinstance(each, Mapping)
        }
        order = sorted(own, key=lambda name: (self.is_set(own[name]), self.is_untrained(name)))
        inside = {str(seed) for each in own.values() if isinstance(each.get("seeds"), list) for seed in each["seeds"]}
        return {name: own[name] for name in order if (name in inside) == members}

    def is_set(self, found: Mapping[str, Any]) -> bool:
        """Return whether a finding is the mean over models that differ only in the seed of their weights."""
        return isinstance(found.get("seeds"), list)

    def is_untrained(self, model: str) -> bool:
        """Return whether a language model is untrained: LLMU, a model drawn from a seed, or a set of such models."""
        sets = (self.seed_sets(dataset, split) for dataset in self.datasets for split in SPLITS)
        drawn = UNTRAINED_SEED in self.models.get(model, {})
        return model == UNTRAINED or drawn or any(model in own for own in sets)

    def seed_sets(self, dataset: str, split: str) -> Mapping[str, Any]:
        """Return the entries of `choices` for each set of models that differ only in the seed of their weights."""
        return section(self.document("choices"), dataset, UNTRAINED_SEED, split)

    def set_of(self, model: str) -> tuple[str, int]:
        """Return the set of seeds that a text model belongs to, and its index in it; the model and 0 if it has none."""
        for dataset in self.datasets:
            for split in SPLITS:
                for name, own in self.seed_sets(dataset, split).items():
                    seeds = section(own).get("seeds")
                    if isinstance(seeds, list) and model in seeds:
                        return name, seeds.index(model)
        return model, 0

    def origin(self) -> str:
        """Return the note, for a figure's small print, that all recordings are simulated; empty if they are not."""
        return " Simulated recordings (OURS)." if self.simulated else ""

    def scored(self, dataset: str, split: str) -> Mapping[str, Any]:
        """Return the entries of `performance` for each model under a split, by name."""
        return section(self.document("performance"), "datasets", dataset, "splits", split)

    def splits(self, dataset: str) -> list[str]:
        """Return the splits that `performance` has for a data set."""
        return [split for split in SPLITS if self.scored(dataset, split)]

    def choice(self, dataset: str, split: str, family: str) -> Mapping[str, Any]:
        """Return the entry of `choices` for one family: its curve, the published choice and the nested one."""
        return section(self.document("choices"), dataset, split, family)

    def families(self, dataset: str) -> list[str]:
        """Return the families from which one member is chosen: OASM first, then text models.

        The families are those of `choices` or, without `choices`, those with members in `performance`, such as
        `OASM@2.2`.
        """
        found = {name for split in SPLITS for name in section(self.document("choices"), dataset, split)}
        if not found:
            found = set(families([name for split in SPLITS for name in self.scored(dataset, split)]))
        return sorted(found, key=lambda name: (not name.startswith(OASM), name))

    def fixed(self, dataset: str) -> list[str]:
        """Return the models of a data set that are in no family's curve, those with few bands first."""
        found, curves = {name for split in SPLITS for name in self.scored(dataset, split)}, self.families(dataset)
        loose = [name for name in found if (one := member(name)) is None or one.family not in curves]
        return sorted(loose, key=simplest_first)

    def score(self, dataset: str, split: str, name: str) -> SplitScore:
        """Return the score of a model, or of the member of a family that was chosen as published.

        Without `choices`, it is the score of the member with the highest score.
        """
        found = self.choice(dataset, split, name)
        if not found:
            return self._best(dataset, split, name)
        chosen = str(section(found, "published").get("chosen", ""))
        own: Mapping[str, Any] = next((row for row in curve(found) if row.get("model") == chosen), {})
        people = own.get("r2_by_participant") or section(self.scored(dataset, split), chosen, "participants")
        value, nested = (number(section(found, way).get("r2")) for way in ("published", "nested"))
        return SplitScore(value, _each(people), nested, chosen)

    def _best(self, dataset: str, split: str, name: str) -> SplitScore:
        scored = self.scored(dataset, split)
        curves = families(list(scored))
        members = [name] if name in scored else [each.model for each in curves.get(name, ())]
        made = [
            SplitScore(number(own.get("r2")), _each(own.get("participants")), model=each)
            for each in members
            if (own := section(scored, each))
        ]
        known = [each for each in made if each.value is not None]
        return max(known, key=lambda each: each.value or 0.0, default=SplitScore(None, model=name))


def simplest_first(name: str) -> tuple[int, str]:
    """Return a sort key that orders models by their number of bands, then by name."""
    return len(bands(name)), name


def is_width(family: str) -> bool:
    """Return whether a family's members differ by a width or length, not by the layer of a text model."""
    return family.partition("!")[0] in WIDTHS


def rows_of(found: Mapping[str, Any], part: str) -> dict[str, Mapping[str, Any]]:
    """Return the rows of features of a finding by name, in the order of the paper's first table.

    Rows with few spaces come first, and the language model alone comes last.
    """
    rows = {name: row for name, row in section(found, part).items() if isinstance(row, Mapping)}
    return {name: rows[name] for name in sorted(rows, key=lambda name: (name == LLM, *simplest_first(name)))}


def curve(found: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the members of a family's curve; empty if it is not a list of objects."""
    rows = found.get("curve")
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else []


def _by_name(datasets: Any) -> Mapping[str, Mapping[str, Any]]:
    return datasets if isinstance(datasets, Mapping) else {str(each["dataset"]): each for each in datasets}


def _each(found: Any) -> dict[str, float]:
    """Return the finite R2 of each participant, from numbers or from objects that hold one."""
    pairs: Iterable[tuple[Any, Any]] = found.items() if isinstance(found, Mapping) else enumerate(found or [])
    values = {str(name): number(own.get("r2") if isinstance(own, Mapping) else own) for name, own in pairs}
    return {name: value for name, value in values.items() if value is not None}
