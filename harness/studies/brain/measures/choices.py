"""The document `choices`: the width or layer chosen in each family, on test data as published, and nested.

For each family it also has the curve over all members, the correlation of the curves of the two splits, and the mean
over seeds of a model drawn from several seeds (`untrained`, by split). Generation P chooses layers of a text model by
the mean over units of scores clipped at 0, ignoring participants; everything else is chosen by the generation's average
over participants. Generation H also has the best member by each metric in each experiment (`by_metric`). `near_ties`,
by split, counts choices that rounding could have changed: of layers and widths here, of alphas and weightings in the
fits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from harness import rows
from harness.studies.brain import near_ties
from harness.studies.brain.measures import choosing, curves, fits
from harness.studies.brain.measures.aggregation import AveragedScore, aggregate, pooled, require_generation
from harness.studies.brain.measures.fits import SplitFits
from harness.studies.brain.measures.metric_choices import BY_METRIC, by_metric
from harness.studies.brain.measures.naming import FamilyMember, families, is_language
from harness.studies.brain.measures.untrained import over_seeds
from harness.studies.brain.terms import CONTIGUOUS, SHUFFLED, H, P

Array = Any  # a numpy array
NONE: Mapping[str, Sequence[str]] = MappingProxyType({})
UNTRAINED, NEAR_TIES = "untrained", "near_ties"  # keys next to the splits, because a family may have any name
MOST = 20  # the most near ties of a split's fits that are listed


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `choices`, the best member of each model family (a width, a layer); inputs as `measures.fits.read`.

    params["untrained"], which is optional, names the text models that are one model drawn from different seeds.
    """
    found = fits.read(params, inputs)
    rows.write_one(out / "choices", choices(found, params["generation"], params.get("untrained", {})))


def choices(
    found: Sequence[SplitFits], generation: str, untrained: Mapping[str, Sequence[str]] = NONE
) -> dict[str, Any]:
    """Choose the best member of each model family by dataset and split, and average the choices over `untrained` seeds.

    Raises InputError for an unknown generation, and for a seed without a family of layers.
    """
    require_generation(generation)
    document: dict[str, Any] = {}
    for dataset, own in fits.by_dataset(found).items():
        splits = {one.split: _split(one, generation) for one in own}
        _correlate(splits)
        document[dataset] = {**splits, NEAR_TIES: {one.split: _near_ties(one, splits[one.split]) for one in own}}
        if untrained:
            document[dataset][UNTRAINED] = {split: _seeds(each, untrained) for split, each in splits.items()}
    return document


def published_score(scores: Array, found: SplitFits, generation: str, family: str) -> float | None:
    """Return the test-data score by which the authors choose a family member, such as a layer; None if undefined."""
    if generation == P and is_language(family, found.text_models):
        return pooled(scores, found.units.counted())
    return aggregate(scores, found.units, generation).score


def _seeds(chosen: Mapping[str, Any], untrained: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    return {name: over_seeds(chosen, seeds) for name, seeds in untrained.items()}


def _split(found: SplitFits, generation: str) -> dict[str, Any]:
    return {name: _family(found, name, members, generation) for name, members in families(found.models).items()}


def _family(found: SplitFits, family: str, members: Sequence[FamilyMember], generation: str) -> dict[str, Any]:
    averaged = [aggregate(found.r2(one.model), found.units, generation) for one in members]
    values = [published_score(found.r2(one.model), found, generation, family) for one in members]
    taken, tied = choosing.choose(values)
    published = {
        "chosen": None if taken is None else members[taken].model,
        "r2": None if taken is None else averaged[taken].score,
        "near_tie": tied,
    }
    curve = [_point(*each) for each in zip(members, averaged, values, strict=True)]
    document = {"published": published, "nested": _nested(found, members, generation), "curve": curve}
    return document | ({BY_METRIC: by_metric(found, [one.model for one in members])} if generation == H else {})


def _near_ties(found: SplitFits, chosen: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Count choices and near ties: of alphas and weightings per unit and fold, and of layers or widths."""
    import numpy as np  # noqa: PLC0415 - heavy

    named: list[dict[str, Any]] = []
    of_fits = {"choices": 0, "near_ties": 0}
    for model in found.models:
        for part in found.experiments if not model.endswith("!ols") else ():
            tied = part.read(model, "tied")
            of_fits["choices"] += tied.size
            of_fits["near_ties"] += int(tied.sum())
            where = {"model": model} | ({"experiment": part.experiment} if part.experiment else {})
            for fold, unit in np.argwhere(tied)[: MOST - len(named)].tolist():
                named.append({**where, "fold": fold, "unit": int(part.done[unit])})
    metrics = [one for own in chosen.values() for one in own.get(BY_METRIC, {}).values()]
    of_families = {
        "choices": sum(1 + len(own["nested"]["chosen"]) for own in chosen.values())
        + sum(len(one["chosen"]) for one in metrics),
        "near_ties": sum(int(own["published"]["near_tie"] + own["nested"]["near_ties"]) for own in chosen.values())
        + sum(int(one["near_ties"]) for one in metrics),
    }
    error = max(part.cv_error() for part in found.experiments)
    return {"grid": near_ties.GRID, "error": error, "fits": {**of_fits, "first": named}, "families": of_families}


def _point(one: FamilyMember, averaged: AveragedScore, value: float | None) -> dict[str, Any]:
    return {
        "model": one.model,
        "place": one.place,
        "r2": averaged.score,
        "r2_by_participant": dict(averaged.participants),
        "chosen_by": value,
    }


def _nested(found: SplitFits, members: Sequence[FamilyMember], generation: str) -> dict[str, Any]:
    """Choose in each outer fold by the inner scores over the counted units, and score the chosen members."""
    errors, chosen, ties = [], [], 0
    shares = not members[0].model.endswith("!plain")
    for part, counted in zip(found.experiments, found.parts(found.units.counted()), strict=True):
        means = [choosing.inner_means(part.read(one.model, "cv"), counted) for one in members]
        made = choosing.best_of_folds(means, part.cv_error(), shares=shares)
        own = [one.place for one in made]
        ties += sum(one.tied for one in made)
        chosen += own
        if None not in own:
            taken = {one: part.read(members[one].model, "mse") for one in own if one is not None}
            errors.append(choosing.errors_of_folds(taken, own))
    names = [None if one is None else members[one].model for one in chosen]
    score = None if None in names else aggregate(found.r2_of(errors), found.units, generation).score
    return {"r2": score, "chosen": names, "near_ties": ties}


def _correlate(splits: Mapping[str, dict[str, Any]]) -> None:
    """Add to each family the correlation of its curve with that of the other split."""
    for split, other in ((SHUFFLED, CONTIGUOUS), (CONTIGUOUS, SHUFFLED)):
        for name, own in splits.get(split, {}).items():
            if name in splits.get(other, {}):
                own["correlation"] = {"against": other, **_correlations(own["curve"], splits[other][name]["curve"])}


def _correlations(one: Sequence[Mapping[str, Any]], other: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Correlate two curves over the places that both have."""
    first, second = ({point["place"]: point["r2"] for point in points} for points in (one, other))
    places = [place for place in first if place in second]
    return dict(curves.with_and_without_first(places, [first[at] for at in places], [second[at] for at in places]))
