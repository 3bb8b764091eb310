"""What figures and page rest on: the generation, the data sets with their worlds, the models, and the documents.

It knows names and where a document keeps a score; it must never know how anything is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.kit.documents import number, section
from harness.studies.brain.measures.naming import LANGUAGE_ARRAYS, bands, families, member
from harness.studies.brain.terms import SPLITS

DOCUMENTS = ("performance", "choices", "stars", "omega", "tests", "sizes", "findings", "length_check")
WORLDS: Mapping[str, str] = {
    "default": "passage signal in no text: a planted drift",
    "topic": "all passage signal in the text, and in the LLM",
}
OASM, LLM, UNTRAINED = "OASM", *LANGUAGE_ARRAYS
UNTRAINED_SEED = "untrained"  # a fact of a text model; in `choices` what stands of sets of seeds
WIDTHS = (OASM, "SPs", "WP", "RAMP")  # families by a width or a length, which know no text; others are text models


@dataclass(frozen=True)
class SplitScore:
    """What one model, or the best of a family, scores under one split."""

    value: float | None
    participants: Mapping[str, float] = field(default_factory=dict)
    nested: float | None = None  # of the choice inside the training folds
    model: str = ""  # which of the family it is


@dataclass(frozen=True)
class BrainRun:
    """The generation, the facts of each data set and model by name, the groups of fits, and the documents by name."""

    generation: str
    datasets: Mapping[str, Mapping[str, Any]]
    models: Mapping[str, Mapping[str, Any]]
    groups: tuple[Mapping[str, Any], ...]
    documents: Mapping[str, Mapping[str, Any]]

    @staticmethod
    def of(params: Mapping[str, Any], documents: Mapping[str, Mapping[str, Any]]) -> BrainRun:
        """Read a step's parameters; `models` and `groups` may be absent, and data sets a list, as measures take it."""
        return BrainRun(
            str(params["generation"]),
            _by_name(params["datasets"]),
            params.get("models", {}),
            tuple(params.get("groups", ())),
            documents,
        )

    @property
    def simulated(self) -> bool:
        """Whether every data set is a simulation; one without a world is not."""
        return bool(self.datasets) and all(map(self.world, self.datasets))

    def world(self, dataset: str) -> str:
        """Name the world that a data set is a simulation of; empty where it is none."""
        return str(self.datasets.get(dataset, {}).get("world") or "")

    def changed(self, dataset: str) -> Mapping[str, Any]:
        """Give the weights of the simulation that the manifest changed, by name; mostly none."""
        return section(self.datasets.get(dataset, {}), "weights")

    def layout(self, dataset: str) -> str:
        """Name the layout of a data set's rows; empty where it is not told."""
        return str(self.datasets.get(dataset, {}).get("layout") or "")

    def title(self, dataset: str) -> str:
        """Give a data set's name with its world."""
        world = self.world(dataset)
        return f"{dataset} (world: {world})" if world else dataset

    def document(self, name: str) -> Mapping[str, Any]:
        """Give a document; an empty one where the run made none."""
        return section(self.documents.get(name))

    def findings(self, dataset: str, *, members: bool = False) -> dict[str, Mapping[str, Any]]:
        """Give what `findings` says of each language model and set of seeds, trained ones first; or of members of sets.

        A model that is one of a set of seeds stands in the set's place, unless the members are asked for.
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
        """Whether a finding is the mean of models that part by the seed of their weights alone."""
        return isinstance(found.get("seeds"), list)

    def is_untrained(self, model: str) -> bool:
        """Whether nothing trained a language model: the array LLMU, a model drawn from a seed, or a set of such."""
        sets = (self.seed_sets(dataset, split) for dataset in self.datasets for split in SPLITS)
        drawn = UNTRAINED_SEED in self.models.get(model, {})
        return model == UNTRAINED or drawn or any(model in own for own in sets)

    def seed_sets(self, dataset: str, split: str) -> Mapping[str, Any]:
        """Give what `choices` says of each set of models that part by the seed of their weights alone."""
        return section(self.document("choices"), dataset, UNTRAINED_SEED, split)

    def set_of(self, model: str) -> tuple[str, int]:
        """Name the set of seeds that a text model is of, and its place among them; itself and 0 where there is none."""
        for dataset in self.datasets:
            for split in SPLITS:
                for name, own in self.seed_sets(dataset, split).items():
                    seeds = section(own).get("seeds")
                    if isinstance(seeds, list) and model in seeds:
                        return name, seeds.index(model)
        return model, 0

    def origin(self) -> str:
        """Say at the end of a figure's small print that all recordings are simulated; empty where they are not."""
        return " Simulated recordings (OURS)." if self.simulated else ""

    def scored(self, dataset: str, split: str) -> Mapping[str, Any]:
        """Give what `performance` says of each model under a split, by its name."""
        return section(self.document("performance"), "datasets", dataset, "splits", split)

    def splits(self, dataset: str) -> list[str]:
        """List the splits that `performance` has of a data set."""
        return [split for split in SPLITS if self.scored(dataset, split)]

    def choice(self, dataset: str, split: str, family: str) -> Mapping[str, Any]:
        """Give what `choices` says of one family: its curve, the published choice and the nested one."""
        return section(self.document("choices"), dataset, split, family)

    def families(self, dataset: str) -> list[str]:
        """List the families one member of which is chosen: OASM first, then text models.

        They are those of `choices`; without it those whose members `performance` has, as `OASM@2.2`.
        """
        found = {name for split in SPLITS for name in section(self.document("choices"), dataset, split)}
        if not found:
            found = set(families([name for split in SPLITS for name in self.scored(dataset, split)]))
        return sorted(found, key=lambda name: (not name.startswith(OASM), name))

    def fixed(self, dataset: str) -> list[str]:
        """List the models of a data set that stand in no family's curve: those of few bands first."""
        found, curves = {name for split in SPLITS for name in self.scored(dataset, split)}, self.families(dataset)
        loose = [name for name in found if (one := member(name)) is None or one.family not in curves]
        return sorted(loose, key=simplest_first)

    def score(self, dataset: str, split: str, name: str) -> SplitScore:
        """Give the score of a model, or of the member of a family that was chosen as published.

        Without `choices` that is the member of the highest score.
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
    """Give the key that sorts models by how many bands they have, and then by name."""
    return len(bands(name)), name


def is_width(family: str) -> bool:
    """Whether a family's members part by a width or a length, and not by the layer of a text model."""
    return family.partition("!")[0] in WIDTHS


def rows_of(found: Mapping[str, Any], part: str) -> dict[str, Mapping[str, Any]]:
    """Give the rows of features of a finding by their names, as the paper's first table orders them.

    Those of few spaces stand first, and the language model alone last.
    """
    rows = {name: row for name, row in section(found, part).items() if isinstance(row, Mapping)}
    return {name: rows[name] for name in sorted(rows, key=lambda name: (name == LLM, *simplest_first(name)))}


def curve(found: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """List the members of a family's curve; none where there is no list of objects."""
    rows = found.get("curve")
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else []


def _by_name(datasets: Any) -> Mapping[str, Mapping[str, Any]]:
    return datasets if isinstance(datasets, Mapping) else {str(each["dataset"]): each for each in datasets}


def _each(found: Any) -> dict[str, float]:
    """Give the finite R2 of each participant, from numbers or from objects that hold one."""
    pairs: Iterable[tuple[Any, Any]] = found.items() if isinstance(found, Mapping) else enumerate(found or [])
    values = {str(name): number(own.get("r2") if isinstance(own, Mapping) else own) for name, own in pairs}
    return {name: value for name, value in values.items() if value is not None}
