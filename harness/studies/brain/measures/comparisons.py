"""The document `tests`: in how many units one model's squared errors are below another's, at each level.

A model whose name ends with `*` is, unit by unit, the one with the lowest mean squared error among its subsets. Counts
units only; does not call a count significant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

from harness import arrays, rows
from harness.errors import InputError
from harness.studies.brain.measures.families import counted, families
from harness.studies.brain.measures.levels import LEVELS, ComparedRows, compared_rows
from harness.studies.brain.measures.naming import bands
from harness.studies.brain.measures.ttest import lowest_error
from harness.studies.brain.rowtypes import RecordedUnit, Stimulus
from harness.studies.brain.structure.folds import outer_folds
from harness.studies.brain.structure.layout import Layout, layout
from harness.studies.brain.terms import INTERCEPT, SHUFFLE_SEED, H

Array = Any  # a numpy array
STAR = "*"
Files = Mapping[str, Path]  # files of errors, by model


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `tests`: paired tests of model against model, for every dataset and split.

    Inputs are the parts of `errors` in the order of params["groups"], and of `stimuli` and `units` in the order of
    params["datasets"]. params["pairs"] names the models to compare, by dataset and split. Without it, each model is
    compared with each model whose bands are part of its own, and with the intercept. Raises InputError if a model's
    errors were not kept.
    """
    asked = params.get("pairs", {})
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for place, about in enumerate(params["datasets"]):
        name = about["dataset"]
        stimuli = list(rows.read(rows.parts(inputs["stimuli"])[place], Stimulus))
        units = list(rows.read(rows.parts(inputs["units"])[place], RecordedUnit))
        groups = [
            (group, path)
            for group, path in zip(params["groups"], rows.parts(inputs["errors"]), strict=True)
            if group["dataset"] == name
        ]
        for split in dict.fromkeys(group["split"] for group, _ in groups):
            own = [(group, path) for group, path in groups if group["split"] == split]
            kept = experiments(own, layout(own[0][0]["layout"], stimuli), split)
            wanted = asked.get(name, {}).get(split)
            pairs = nested_pairs(kept) if wanted is None else [(model, against) for model, against in wanted]
            tested = [comparison(pair, kept, units, params["generation"]) for pair in pairs]
            found.setdefault(name, {})[split] = tested
    rows.write_one(out / "tests", found)


@dataclass(frozen=True)
class KeptErrors:
    """The files with the squared errors [row, unit] of one experiment's models, and the layout of its rows."""

    experiment: str
    layout: Layout
    split: str
    files: Files

    @cached_property
    def rows(self) -> ComparedRows:
        """The blocks and folds to which the experiment's rows belong."""
        return compared_rows([(self.layout, outer_folds(self.layout, self.split, SHUFFLE_SEED))])

    def read(self, model: str, units: int) -> Array:
        """Read a model's squared errors [row, unit]; raise InputError if none were kept, or rows or units differ."""
        if model not in self.files:
            told = f"no errors of {model[:80]!r} were kept"
            raise InputError(told, where=self.experiment or "errors", next=f"choose of: {', '.join(self.files)}")
        path = self.files[model]
        shape = arrays.read_headers(path)[model].shape
        if shape != (len(self.layout.ids), units):
            told = f"the errors of {model[:80]!r} are {[*shape]}, of {len(self.layout.ids)} rows, {units} units"
            raise InputError(told, where=str(path), next="give the errors of these recordings")
        return _joined([*arrays.read_blocks(path, model, any_order=True)])


def experiments(groups: Sequence[tuple[Mapping[str, Any], Path]], whole: Layout, split: str) -> list[KeptErrors]:
    """Group the error files of a dataset's split by experiment, in the order given."""
    files: dict[str, dict[str, Path]] = {}
    for group, path in groups:
        own = files.setdefault(group.get("experiment", ""), {})
        own.update({model: path for model in arrays.read_headers(path) if model not in own})
    return [KeptErrors(name, whole.only(name), split, own) for name, own in files.items()]


def nested_pairs(kept: Sequence[KeptErrors]) -> list[tuple[str, str]]:
    """Return pairs of models in which the first has all bands of the second, and each model with the training mean."""
    models = sorted({model for one in kept for model in one.files} - {INTERCEPT})
    pairs = [pair for pair in permutations(models, 2) if is_nested(*pair)]
    return [*pairs, *((model, INTERCEPT) for model in models)]


def is_nested(model: str, against: str) -> bool:
    """Whether the first model has all bands (feature spaces) of the second and more; all contain the intercept."""
    if against == INTERCEPT:
        return model != INTERCEPT
    return {*bands(against.removesuffix(STAR))} < {*bands(model.removesuffix(STAR))}


def comparison(
    pair: tuple[str, str], kept: Sequence[KeptErrors], units: Sequence[RecordedUnit], generation: str
) -> dict[str, Any]:
    """Test one model against another over rows, blocks and folds, with p-values corrected within families of units.

    Units that were not recorded in an experiment (all errors NaN) are in none of its families. In generation H, a
    participant's experiments form one table, with NaN if a unit has no value. Raises InputError for unknown models.
    """
    model, against = pair
    chosen = [[_errors(one, named, pair, len(units), generation) for named in pair] for one in kept]
    null = {unit for unit, one in enumerate(units) if one.get("signal") is False}
    if generation == H:
        merged = [_joined([both[side] for both in chosen]) for side in (0, 1)]
        whole = compared_rows([(one.layout, outer_folds(one.layout, one.split, SHUFFLE_SEED)) for one in kept])
        tables = [("", whole, merged)]
    else:
        tables = [(one.experiment, one.rows, both) for one, both in zip(kept, chosen, strict=True)]
    told = {"model": model, "against": against, "nested": is_nested(model, against)}
    if selected := {name: _candidates(kept[0], name, pair, generation) for name in pair if name.endswith(STAR)}:
        told["selected_from"] = {name: len(candidates) for name, candidates in selected.items()}
    levels = {level: _tested(tables, units, null, generation, level) for level in LEVELS}
    if generation == H:
        told["misaligned_block"] = _tested(tables, units, null, generation, "")
    return {**told, "levels": levels}


def _tested(
    tables: Sequence[tuple[str, ComparedRows, Sequence[Array]]],
    units: Sequence[RecordedUnit],
    null: set[int],
    generation: str,
    level: str,
) -> dict[str, Any]:
    """Test all units of all experiments at a level; the empty level is the misaligned block test."""
    p: list[float] = []
    own: list[tuple[int, str]] = []  # unit and experiment of each p-value
    omit = generation == H
    for experiment, samples, (errors, against) in tables:
        found = (
            samples.p(errors, against, level, omit=omit) if level else samples.misaligned_p(errors, against, omit=omit)
        )
        recorded = _recorded(errors, against)
        p += found[recorded].tolist()
        own += [(unit, experiment) for unit in recorded.nonzero()[0].tolist()]
    people, networks = ([units[unit][key] for unit, _ in own] for key in ("participant", "network"))
    grouped = families(people, networks, generation, [experiment for _, experiment in own])
    return counted(p, grouped, {place for place, (unit, _) in enumerate(own) if unit in null})


def _recorded(errors: Array, against: Array) -> Array:

    found: Array = ~(np.isnan(errors).all(axis=0) | np.isnan(against).all(axis=0))
    return found


def _joined(tables: Sequence[Array]) -> Array:

    return np.concatenate(tables)


def _errors(kept: KeptErrors, model: str, pair: tuple[str, str], units: int, generation: str) -> Array:
    if not model.endswith(STAR):
        return kept.read(model, units)
    return lowest_error((name, kept.read(name, units)) for name in _candidates(kept, model, pair, generation))[1]


def _candidates(kept: KeptErrors, model: str, pair: tuple[str, str], generation: str) -> list[str]:
    """Return the kept subsets of a starred model that are candidates for it.

    The candidates of a pair's first model contain all bands that the second model lacks.
    """
    own, other = ({*bands(name.removesuffix(STAR))} for name in (model, pair[1]))
    added = own - other if model == pair[0] and pair[1] != INTERCEPT else set()
    found = [name for name in sorted(kept.files) if name != INTERCEPT and added <= {*bands(name)} <= own]
    if not found:
        told = f"no errors of a subset of {model[:80]!r} were kept"
        raise InputError(told, where=kept.experiment or "errors", next=f"choose of: {', '.join(kept.files)}")
    return [INTERCEPT, *found] if generation == H else found
