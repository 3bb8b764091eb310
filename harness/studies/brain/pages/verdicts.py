"""What a test's counts permit to say; a test that finds too much on noise is never called significant."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from harness.kit.documents import number, section
from harness.studies.brain.measures.naming import BEST
from harness.studies.brain.nulls.wording import wording
from harness.studies.brain.pages.run_basis import BrainRun
from harness.studies.brain.terms import INTERCEPT

NULLS = ("exchangeable", "autocorrelated")
FEWEST = 60  # simulated families: with fewer, zero hits do not exclude one in twenty (3 of n, at 95 %)
RELATIONS: Mapping[str, str] = {
    "nested": "the first holds the second",
    "equal": "neither holds the other",
    "intercept": "against the mean of the training rows",
}
CHOSEN = "chosen"  # a test of a layer, or of a subset in each unit, that was chosen on test data
WORDS: Mapping[str, str] = {**RELATIONS, CHOSEN: "a layer or subset chosen on test data: its size is measured nowhere"}
Sizes = Mapping[str, Mapping[str, Any]]  # by null


class UnitCounts(NamedTuple):
    """Units of a test in all its families: how many, how many with p < .05, and how many after FDR."""

    units: int
    raw: int
    fdr: int


def counts(found: Mapping[str, Any]) -> UnitCounts:
    """Add up the families of one level of a test."""
    listed = found.get("families")
    families = [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []
    return UnitCounts(
        *(int(math.fsum(number(each.get(name)) or 0 for each in families)) for name in UnitCounts._fields)
    )


def relation(row: Mapping[str, Any]) -> str:
    """Return the relation of a test's two models, as in `sizes`, or `chosen` if a model was chosen on test data."""
    if row.get("selected_from") or f"@{BEST}" in str(row.get("model")):
        return CHOSEN
    return "intercept" if row.get("against") == INTERCEPT else "nested" if row.get("nested") is True else "equal"


def measured(run: BrainRun, dataset: str, split: str, level: str, pair: str) -> dict[str, Mapping[str, Any]]:
    """Return the measured size of a test under each null, by the data set or by its layout."""
    document = run.document("sizes")
    own = section(document, dataset, split) or section(document, run.layout(dataset), split)
    return {null: section(own, null, pair, level) for null in NULLS}


def said(found: UnitCounts, level: str, sizes: Sizes, pair: str) -> str:
    """Return what the counts permit to say: `significant` only after FDR, and only if `nulls.wording` says so.

    A size has two parts: the share of units with p < .05, and the share of families with any hit after FDR. A size
    measured in fewer than 60 families counts as not measured.
    """
    if not found.units:
        return "nothing was tested"
    if not found.fdr:
        return "better in no unit after FDR"
    (null, raw), (other, family) = (_worst(sizes, side) for side in ("raw", "family"))
    better = f"better in {found.fdr:,} of {found.units:,} units after FDR"
    if any((number(own.get("families")) or FEWEST) < FEWEST for own in sizes.values()):
        return f"{better} by the {level} test, whose size was measured in fewer than {FEWEST} families: no evidence"
    told = wording(level, raw, null=null, nested=pair != "equal", family=family, family_null=other)
    return f"{better} {told}"


def _worst(sizes: Sizes, side: str) -> tuple[str, float | None]:
    """Return the null under which a test finds most, and how much; None if it was not measured under every null."""
    known = {null: number(sizes.get(null, {}).get(side)) for null in NULLS}
    if any(size is None for size in known.values()):
        return NULLS[-1], None
    return max(((null, size) for null, size in known.items()), key=lambda each: each[1] or 0.0)
