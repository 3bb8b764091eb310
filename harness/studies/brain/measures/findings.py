"""The document `findings`: the numbers that the paper reports, by dataset and language model.

Has scores of the model alone, curves over layers, time against the model, the rows of the first table, starred models,
subsets, counts of tests, and omega. For models that differ only in their seed, it has the means over seeds. Choices and
tests are read from their documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from harness import rows
from harness.errors import InputError
from harness.studies.brain.measures import fits
from harness.studies.brain.measures.aggregation import require_generation
from harness.studies.brain.measures.findings_fits import (
    Chosen,
    LanguageFits,
    best_pearson,
    language_fits,
    language_models,
    layer,
    read_chosen,
)
from harness.studies.brain.measures.findings_omega import shared_omega
from harness.studies.brain.measures.findings_rows import feature_spaces, scored_subsets, starred, table
from harness.studies.brain.measures.findings_seeds import over_seeds
from harness.studies.brain.measures.findings_tests import counted_tests
from harness.studies.brain.measures.findings_time import joint_model, time
from harness.studies.brain.measures.fits import SplitFits
from harness.studies.brain.measures.metric_choices import BY_METRIC, PEARSON
from harness.studies.brain.measures.naming import bands
from harness.studies.brain.terms import CONTIGUOUS, SHUFFLED

NONE: Mapping[str, Any] = MappingProxyType({})
WITHOUT_FIRST = {"without_layer_0": "without_0"}  # names in `choices` to names in `findings`


class RunDocuments(NamedTuple):
    """Other results of the run that findings build on: choices and tests by dataset and split, and chosen layers."""

    choices: Mapping[str, Any]
    tests: Mapping[str, Any]
    chosen: Chosen


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `findings`, the paper's comparisons of language models with simple features, from fits and earlier results.

    `choices` and `tests` are the documents of those names. `chosen` is a fan-in of the layers chosen for text models,
    in the order of params["best"]; both are optional. params["untrained"], also optional, names sets of text models
    that are one model drawn from different seeds.
    """
    choices, tests = (next(rows.read(inputs[name])) for name in ("choices", "tests"))
    documents = RunDocuments(choices, tests, read_chosen(params, inputs))
    found = findings(fits.read(params, inputs), params["generation"], documents, params.get("untrained", NONE))
    rows.write_one(out / "findings", found)


def findings(
    found: Sequence[SplitFits],
    generation: str,
    documents: RunDocuments,
    untrained: Mapping[str, Sequence[str]] = NONE,
) -> dict[str, Any]:
    """Return by dataset and language model how it compares with simple features; what cannot be computed is left out.

    Raises InputError for an unknown generation, a seed without findings, and a set named like a model.
    """
    require_generation(generation)
    document: dict[str, Any] = {}
    for dataset, own in fits.by_dataset(found).items():
        about = RunDocuments(documents.choices.get(dataset, {}), documents.tests.get(dataset, {}), documents.chosen)
        models = {name: _model(own, name, generation, about) for name in language_models(own)}
        if twice := [name for name in untrained if name in models]:
            told = f"a set of seeds and a model are both called {twice[0][:80]!r}"
            raise InputError(told, where="untrained", next="give the model another name")
        sets = {name: over_seeds(models, seeds, about.choices) for name, seeds in untrained.items()}
        document[dataset] = {**models, **sets}
    return document


def _model(own: Sequence[SplitFits], name: str, generation: str, about: RunDocuments) -> dict[str, Any]:
    splits: dict[str, LanguageFits] = {}
    for one in own:
        fitted = language_fits(one, name, generation, about.chosen, about.choices.get(one.split, {}))
        if fitted is not None:
            splits[one.split] = fitted
    found: dict[str, Any] = {
        "alone": {split: _alone(one, about.choices.get(split, {})) for split, one in splits.items()},
        "curves": _curves(about.choices.get(CONTIGUOUS, {}).get(name, {})),
    }
    if SHUFFLED in splits:
        found["time"] = time(splits[SHUFFLED], about.choices.get(SHUFFLED, {}))
    if CONTIGUOUS in splits:
        found |= _features(splits[CONTIGUOUS], about.tests.get(CONTIGUOUS, ()))
    found["omega"] = _omegas(splits)
    return {key: value for key, value in found.items() if value}


def _features(one: LanguageFits, tested: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what simple and lexical features explain, alone and together with the model."""
    spaces = feature_spaces(one)
    tests = counted_tests(one, spaces.simple if spaces else (), tested)
    if spaces is None:
        return {"tests": tests}
    return {"table": table(one, spaces), "starred": starred(one, spaces), **scored_subsets(one, spaces), "tests": tests}


def _omegas(splits: Mapping[str, LanguageFits]) -> dict[str, Any]:
    """Return the share of the model's score that other features share: time if shuffled, all features if contiguous."""
    found: dict[str, Any] = {}
    if SHUFFLED in splits and (joint := joint_model(splits[SHUFFLED])):
        found[SHUFFLED] = shared_omega(splits[SHUFFLED], bands(joint))
    if CONTIGUOUS in splits and (spaces := feature_spaces(splits[CONTIGUOUS])):
        one = splits[CONTIGUOUS]
        found[CONTIGUOUS] = shared_omega(one, [*spaces.simple, *spaces.added, one.band])
    return {split: told for split, told in found.items() if told}


def _alone(one: LanguageFits, choices: Mapping[str, Any]) -> dict[str, Any]:
    """Score the model alone; if experiments have different layers, `models` names these and `model` is None.

    In generation H, Pearson's r is that of the layer with the best r in each experiment; `pearson_models` names these
    layers.
    """
    scores = one.r2(one.band)
    averaged = one.average(scores)
    alike, family = len({*one.alone}) == 1, choices.get(one.name, {})
    found: dict[str, Any] = {
        "model": one.alone[0] if alike else None,
        "r2": averaged.score,
        "pearson": best_pearson(family, one.average(one.pearson()).score),
        "units_mean": one.units_mean(scores),
        "r2_by_participant": dict(averaged.participants),
        "networks": one.networks(scores),
    }
    if not alike:
        experiments = [part.experiment for part in one.found.experiments]
        found["models"] = dict(zip(experiments, one.alone, strict=True))
    if alike and (number := layer(one.alone[0])) is not None:
        found["layer"] = number
    if (nested := family.get("nested")) is not None:
        found["nested"] = nested["r2"]
    if BY_METRIC in family:
        found["pearson_models"] = family[BY_METRIC][PEARSON]["chosen"]
    return found


def _curves(family: Mapping[str, Any]) -> dict[str, Any]:
    """Return the correlation of the two splits' curves over layers, from `choices`."""
    told = family.get("correlation", {})
    return {WITHOUT_FIRST.get(key, key): value for key, value in told.items() if key != "against"}
