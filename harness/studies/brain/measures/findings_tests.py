"""Counts of the units in which a language model adds to simple features or to the training mean, over families."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from harness.studies.brain.measures.comparisons import STAR
from harness.studies.brain.measures.findings_fits import LanguageFits
from harness.studies.brain.measures.levels import ROW
from harness.studies.brain.measures.naming import bands
from harness.studies.brain.terms import INTERCEPT, LANGUAGE

Tested = Sequence[Mapping[str, Any]]  # the comparisons of a dataset and split in the document `tests`


def counted_tests(one: LanguageFits, simple: Collection[str], tested: Tested) -> dict[str, Any]:
    """Count units that simple features with the language model predict significantly better than without it.

    `intercept` is the model alone against the training mean. Tests that were not run are left out.
    """
    rich = {*simple, one.band}
    alone = {one.band, *one.alone} if len({*one.alone}) == 1 else {one.band}
    found = {
        "plain": _first(tested, lambda row: _is(row["model"], rich, "") and _is(row["against"], simple, "")),
        "starred": _first(tested, lambda row: _is(row["model"], rich, STAR) and _is_base(row["against"], simple)),
        INTERCEPT: _first(tested, lambda row: row["against"] == INTERCEPT and row["model"] in alone),
    }
    wanted = found if simple else {INTERCEPT: found[INTERCEPT]}
    return {name: _counts(row) for name, row in wanted.items() if row is not None}


def _first(tested: Tested, wanted: Callable[[Mapping[str, Any]], bool]) -> Mapping[str, Any] | None:
    return next(filter(wanted, tested), None)


def _is(model: str, spaces: Collection[str], suffix: str) -> bool:
    """Return whether a model has exactly these bands, and is starred if `suffix` is not empty."""
    return model.endswith(STAR) == bool(suffix) and {*bands(model.removesuffix(STAR))} == {*spaces}


def _is_base(against: str, simple: Collection[str]) -> bool:
    """Return whether a starred model is tested against the simple features; the star of one space is that space."""
    return _is(against, simple, STAR) or (len(simple) == 1 and _is(against, simple, ""))


def _counts(row: Mapping[str, Any]) -> dict[str, Any]:
    families = row["levels"][ROW]["families"]
    return {"all": _sum(families), LANGUAGE: _sum(one for one in families if one["network"] == LANGUAGE)}


def _sum(families: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Add up the counts of families; the percentage of zero units is None."""
    listed = list(families)
    found: dict[str, Any] = {name: sum(int(one[name]) for one in listed) for name in ("units", "raw", "fdr")}
    units = found["units"]
    return {**found, **{f"{name}_percent": 100 * found[name] / units if units else None for name in ("raw", "fdr")}}
