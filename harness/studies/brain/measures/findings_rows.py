"""Simple and lexical features and a language model: one subset for all units, starred models, and all subsets.

The rows are those of the paper's first table: simple spaces joined, each lexical space added in turn, the language
model added to all, and the language model alone. Each highest score here was chosen on test data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, combinations
from typing import Any, NamedTuple

from harness.studies.brain.measures import choosing
from harness.studies.brain.measures.curves import pearson
from harness.studies.brain.measures.findings_fits import LanguageFits
from harness.studies.brain.measures.naming import LEXICAL, is_language, member
from harness.studies.brain.measures.starring import gain, star, subsets

Array = Any  # a numpy array
LLM = "LLM"  # stands for the language model in names of rows and subsets
ADDED = ("GLOVE", *LEXICAL)  # added to the simple spaces in this order; the first is generation H's
TIME = "OASM"  # the family of time alone, which is not a feature of a text


class FeatureRow(NamedTuple):
    """One row of the table of feature spaces: its name, its spaces, and the space that each candidate contains."""

    name: str
    spaces: tuple[str, ...]
    containing: str = ""


class FeatureSpaces(NamedTuple):
    """The feature spaces, simple and lexical, that were fitted together with a language model."""

    simple: tuple[str, ...]
    added: tuple[str, ...]  # lexical spaces, in the order of the paper

    def rows(self) -> list[FeatureRow]:
        """Return the table rows without the language model; each has one feature space more than the one before."""
        found = [FeatureRow("+".join(self.simple), self.simple)]
        for space in self.added:
            found.append(FeatureRow(f"{found[-1].name}+{space}", (*found[-1].spaces, space), space))
        return found


def feature_spaces(one: LanguageFits) -> FeatureSpaces | None:
    """Return the feature spaces that were fitted together with a language model; None if there is no simple one.

    Time alone and other language models do not count as spaces.
    """
    beside = [band for band in one.companions() if not is_language(band, one.found.text_models)]
    beside = [band for band in beside if (own := member(band)) is None or own.family != TIME]
    simple = tuple(band for band in beside if band not in ADDED)
    return FeatureSpaces(simple, tuple(band for band in ADDED if band in beside)) if simple else None


def table(one: LanguageFits, spaces: FeatureSpaces) -> dict[str, Any]:
    """Return for each row of feature spaces the best model that contains the row's last space and no space outside it.

    The best subset has the highest average. Percentages are of unrounded scores; they are None if their base is missing
    or not above 0. A row without a fitted subset is left out.
    """
    own = spaces.rows()
    every = (*own[-1].spaces, one.band)
    asked = [*own, FeatureRow(f"{own[-1].name}+{LLM}", every, one.band), FeatureRow(LLM, (one.band,), one.band)]
    found = {row.name: taken for row in asked if (taken := _highest(one, row)) is not None}
    full, alone = (found[row.name][1] if row.name in found else None for row in asked[-2:])
    return {
        name: {
            "model": one.alone[0] if model == one.band and len({*one.alone}) == 1 else model,
            "r2": r2,
            "percent_of_alone": percent(r2, alone),
            "percent_of_full": percent(r2, full),
        }
        for name, (model, r2) in found.items()
    }


def starred(one: LanguageFits, spaces: FeatureSpaces) -> dict[str, Any]:
    """Return for each row of feature spaces the units' best scores over subsets, with and without the language model.

    The score without is the maximum over all subsets of the row's spaces. The score with is the maximum over the
    subsets of the same spaces and the model that contain the model. Each comes with the number of subsets and the score
    of a choice inside the training folds (`nested_…`). `containing` has the maximum over the subsets with the row's
    last space. A row that lacks one side is left out.
    """
    found = {}
    for row in spaces.rows():
        plain, rich = subsets(one.models, row.spaces), subsets(one.models, (*row.spaces, one.band), one.band)
        if plain and rich:
            found[row.name] = {**_pair(one, plain, rich), **_containing(one, row)}
    return found


def scored_subsets(one: LanguageFits, spaces: FeatureSpaces) -> dict[str, Any]:
    """Return the mean score of each fitted subset of simple spaces and language model, and which subset is best."""
    every = (*spaces.simple, one.band)
    known = {frozenset(model.split("+")): model for model in reversed(subsets(one.models, every))}
    asked = chain.from_iterable(combinations(every, count + 1) for count in range(len(every)))
    found = {
        "+".join(LLM if band == one.band else band for band in each): one.score(known[frozenset(each)])
        for each in asked
        if frozenset(each) in known
    }
    return {"subsets": found, "highest_subset": highest(found)}


def highest(scores: Mapping[str, float | None]) -> str | None:
    """Return the name of the model with the highest score, the first of equals; None if there is none."""
    taken = choosing.best([*scores.values()])
    return None if taken is None else [*scores][taken]


def percent(score: float | None, of: float | None) -> float | None:
    """Return a score as a percentage of another; None if either is missing or the other is not above 0."""
    return None if score is None or of is None or of <= 0 else 100 * score / of


def _highest(one: LanguageFits, row: FeatureRow) -> tuple[str, float | None] | None:
    models = subsets(one.models, row.spaces, row.containing)
    scores = {model: one.score(model) for model in models}
    taken = highest(scores)
    return None if taken is None else (taken, scores[taken])


def _pair(one: LanguageFits, plain: Sequence[str], rich: Sequence[str]) -> dict[str, Any]:
    lacking, having = (star([one.r2(model) for model in models]) for models in (plain, rich))
    without, including = one.average(lacking).score, one.average(having).score
    return {
        "without": without,
        "with": including,
        "gain_percent": gain(including, without),
        "percent_of_with": percent(without, including),
        "nested_without": _nested(one, plain),
        "nested_with": _nested(one, rich),
        "without_units": one.units_mean(lacking),
        "with_units": one.units_mean(having),
        "subsets_without": len(plain),
        "subsets_with": len(rich),
        **_together(one, lacking, having),
    }


def _containing(one: LanguageFits, row: FeatureRow) -> dict[str, Any]:
    """Return the starred score over the subsets that contain a row's last space; empty if the row requires no space."""
    models = subsets(one.models, row.spaces, row.containing) if row.containing else ()
    if not models:
        return {}
    scores = star([one.r2(model) for model in models])
    told = {"space": row.containing, "without": one.average(scores).score, "without_units": one.units_mean(scores)}
    return {"containing": {**told, "subsets_without": len(models)}}


def _nested(one: LanguageFits, models: Sequence[str]) -> float | None:
    """Choose the subset of each unit and fold by its inner score, and average the scores of the chosen subsets."""
    errors = [
        choosing.errors_of_units(
            ((one.read(part, model, "cv"), one.read(part, model, "mse")) for model in models), part.cv_error()
        ).errors
        for part in one.found.experiments
    ]
    return one.average(one.found.r2_of(errors)).score


def _together(one: LanguageFits, first: Array, second: Array) -> dict[str, float | None]:
    """Correlate two scores over the units of the language network that have both: unchanged, and clipped at 0."""
    import numpy as np  # noqa: PLC0415 - heavy

    kept = one.found.units.counted() & np.isfinite(first) & np.isfinite(second)
    cut = [np.maximum(side[kept], 0.0).tolist() for side in (first, second)]
    return {"correlation": pearson(first[kept].tolist(), second[kept].tolist()), "correlation_clipped": pearson(*cut)}
