"""The fits with one language model in one split, by their bands: `SP+SL+gpt2-xl@best` and the model alone.

Alone, a text model is the layer that was chosen for it; with other bands, that layer is called `@best`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.studies.brain.measures.aggregation import AveragedScore, aggregate, pooled
from harness.studies.brain.measures.fits import ExperimentFits, SplitFits
from harness.studies.brain.measures.metric_choices import BY_METRIC, PEARSON
from harness.studies.brain.measures.naming import BEST, LANGUAGE_ARRAYS, bands, member

Array = Any  # a numpy array
Chosen = Mapping[tuple[str, str, str, str], str | None]  # by dataset, experiment, split and text model


@dataclass(frozen=True)
class LanguageFits:
    """One language model's view of the fits of a split: its chosen layer stands for it, beside all other models."""

    found: SplitFits
    generation: str
    name: str
    band: str  # the model's name next to other bands: `gpt2-xl@best`, `LLM`
    alone: tuple[str, ...]  # the fitted model that the band stands for, by experiment
    _known: dict[str, Array] = field(default_factory=dict, repr=False, compare=False)

    @property
    def models(self) -> tuple[str, ...]:
        """The names of all models of the split, including the band of the language model."""
        return tuple(dict.fromkeys((*self.found.models, self.band)))

    def companions(self) -> tuple[str, ...]:
        """Return the bands that were fitted together with the language model, in the order of the fits."""
        beside = [bands(model) for model in self.found.models if self.band in bands(model)]
        return tuple(dict.fromkeys(band for own in beside for band in own if band != self.band))

    def r2(self, model: str) -> Array:
        """Return R2 of each unit and experiment; raise InputError if the model was not fitted."""
        if model not in self._known:
            parts = self.found.experiments
            own = [self.read(part, model, "mse") for part in parts] if model == self.band else []
            self._known[model] = self.found.r2_of(own) if own else self.found.r2(model)
        return self._known[model]

    def pearson(self) -> Array:
        """Return Pearson's r of the language model alone, averaged over folds, for each unit and experiment."""
        import numpy as np  # noqa: PLC0415 - heavy

        return np.concatenate([self.read(part, self.band, "r").mean(axis=0) for part in self.found.experiments])

    def read(self, part: ExperimentFits, model: str, what: str) -> Array:
        """Read `mse`, `cv` or `r` [fold, unit] of a model in one experiment; raise InputError if it was not fitted."""
        own = zip(self.found.experiments, self.alone, strict=True)
        return part.read(next(name for one, name in own if one is part) if model == self.band else model, what)

    def average(self, scores: Array) -> AveragedScore:
        """Average a score over units and participants, as the paper (P) or the repository (H) does."""
        return aggregate(scores, self.found.units, self.generation)

    def score(self, model: str) -> float | None:
        """Return a model's averaged R2; None if no participant has a score."""
        return self.average(self.r2(model)).score

    def networks(self, scores: Array) -> dict[str, float | None]:
        """Average a score over units and participants, separately for each brain network."""
        units = self.found.units
        masks = {name: units.counted(name) for name in sorted({*units.networks})}
        return {name: aggregate(scores, units, self.generation, own).score for name, own in masks.items() if own.any()}

    def units_mean(self, scores: Array) -> float | None:
        """Average scores over units of the language network, ignoring participants, clipped at 0."""
        return pooled(scores, self.found.units.counted())


def language_models(found: Sequence[SplitFits]) -> tuple[str, ...]:
    """Return the language models that were fitted to a dataset: text models, and arrays called LLM or LLMU."""
    texts = dict.fromkeys(name for one in found for name in one.text_models)
    given = [name for name in LANGUAGE_ARRAYS if any(name in one.models for one in found)]
    return tuple(dict.fromkeys((*texts, *given)))


def language_fits(
    found: SplitFits, name: str, generation: str, chosen: Chosen, choices: Mapping[str, Any]
) -> LanguageFits | None:
    """Return the fits of a language model in a split; None if it was not fitted, or no layer was chosen.

    If `chosen` does not name a layer, the layer is the split's published choice in `choices`.
    """
    if name not in found.text_models:
        return (
            LanguageFits(found, generation, name, name, (name,) * len(found.experiments))
            if (name in found.models)
            else None
        )
    published = choices.get(name, {}).get("published", {}).get("chosen")
    taken = [chosen.get((found.dataset, part.experiment, found.split, name), published) for part in found.experiments]
    alone = [model for model in taken if model is not None and model in found.models]
    if len(alone) < len(taken):
        return None
    return LanguageFits(found, generation, name, f"{name}@{BEST}", tuple(alone))


def read_chosen(params: Mapping[str, Any], inputs: Mapping[str, Path]) -> Chosen:
    """Read the chosen layer of each dataset, experiment, split and model in params["best"].

    The result is empty if both `best` and `chosen` are absent. Raises InputError if there are more or fewer parts than
    entries in params["best"].
    """
    asked = params.get("best", ())
    files = rows.parts(inputs["chosen"]) if "chosen" in inputs else []
    if len(asked) != len(files):
        told = f"{len(files)} chosen layers stand beside {len(asked)} entries of `best`"
        raise InputError(told, where="chosen", next="give one for each")
    return dict(_pairs(asked, files))


def _pairs(
    asked: Sequence[Mapping[str, Any]], files: Sequence[Path]
) -> Iterator[tuple[tuple[str, str, str, str], str | None]]:
    for one, file in zip(asked, files, strict=True):
        key = (str(one["dataset"]), str(one.get("experiment") or ""), str(one["split"]), str(one["model"]))
        yield key, next(rows.read(file))["model"]


def best_pearson(family: Mapping[str, Any], otherwise: float | None) -> float | None:
    """Return the highest mean Pearson's r of a model family over experiments, or `otherwise` if it is not known."""
    told = family.get(BY_METRIC, {}).get(PEARSON)
    return otherwise if told is None else told["score"]


def layer(model: str) -> int | None:
    """Parse the layer from a text model's name, such as `minilm@3`; None if the name has none."""
    found = member(model)
    return None if found is None else int(found.place)
