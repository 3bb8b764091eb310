"""The document `stars`: starred models, the number of subsets of each, and the nested choice.

`best` follows the paper's first table: one subset for all units, the one with the highest average on test data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from harness import rows
from harness.studies.brain.measures import choosing, fits
from harness.studies.brain.measures.aggregation import aggregate, require_generation
from harness.studies.brain.measures.fits import SplitFits
from harness.studies.brain.measures.starring import StarredModel, gain, star
from harness.studies.brain.measures.starring import stars as starred


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `stars`, each unit's best score over subsets of feature spaces; inputs as `measures.fits.read`."""
    rows.write_one(out / "stars", stars(fits.read(params, inputs), params["generation"]))


def stars(found: Sequence[SplitFits], generation: str) -> dict[str, Any]:
    """Return each unit's best scores over subsets of feature spaces; InputError for an unknown generation."""
    require_generation(generation)
    return {
        dataset: {one.split: _split(one, generation) for one in own} for dataset, own in fits.by_dataset(found).items()
    }


def _split(found: SplitFits, generation: str) -> list[dict[str, Any]]:
    made = starred(found.models, found.text_models)
    members = dict.fromkeys(model for one in made for model in one.members)
    averages = {model: aggregate(found.r2(model), found.units, generation).score for model in members}
    return [_row(found, one, averages, generation) for one in made]


def _row(found: SplitFits, one: StarredModel, averages: Mapping[str, float | None], generation: str) -> dict[str, Any]:
    score, (nested, ties) = _starred(found, one.members, generation), _nested(found, one.members, generation)
    averaged = [averages[model] for model in one.members]
    taken = choosing.best(averaged)
    row: dict[str, Any] = {
        "name": one.name,
        "subsets": len(one.members),
        "of": one.of,
        "r2": score,
        "nested": nested,
        "near_ties": ties,
        "best": None if taken is None else {"model": one.members[taken], "r2": averaged[taken]},
    }
    if one.base:
        row["gain_percent"] = gain(score, _starred(found, one.base, generation))
        row["nested_gain_percent"] = gain(nested, _nested(found, one.base, generation).score)
    return row


def _starred(found: SplitFits, models: Sequence[str], generation: str) -> float | None:
    return aggregate(star([found.r2(model) for model in models]), found.units, generation).score


class _Nested(NamedTuple):
    """The score of subsets chosen for each unit and fold, and how many of these choices are near ties."""

    score: float | None
    ties: int


def _nested(found: SplitFits, models: Sequence[str], generation: str) -> _Nested:
    """Choose the subset of each unit and fold by its inner score, and average the scores of the chosen subsets."""
    chosen = []
    for part in found.experiments:
        candidates = ((part.read(model, "cv"), part.read(model, "mse")) for model in models)
        chosen.append(choosing.errors_of_units(candidates, part.cv_error()))
    score = aggregate(found.r2_of([one.errors for one in chosen]), found.units, generation).score
    return _Nested(score, sum(int(one.tied.sum()) for one in chosen))
