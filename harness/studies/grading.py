"""The figures of a grader's certificate: agreement of its grades with labels, rows clustered by instance.

It knows grades, labels and instances; it must never know a scorer, nor what was graded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness import seeds
from harness.errors import InputError
from harness.stats import kappa
from harness.studies.agreement import NOBODY, UNDEFINED, kappas
from harness.studies.intervals import LEVEL, RESAMPLES, absent, beside, share
from harness.studies.resample import multiplicities

PARTS = ("develop", "frozen")  # what the rules were made on, and what they were frozen against
DIGITS = 6  # of every figure: a machine's last bit is no finding
METHODS = {
    "level": str(LEVEL),
    "shares": "Wilson, over rows",
    "kappa": f"percentiles of {RESAMPLES} bootstrap resamples of instances",
}
NO_WRONG, NO_RIGHT = "no row is labelled otherwise", "no row is labelled so"


@dataclass(frozen=True, slots=True)
class Graded:
    """One labelled row: the reference label, the grader's grade, and the instance (cluster) it belongs to."""

    instance: str
    label: str
    grade: str


def part_of(seed: int, instance: str) -> str:
    """Assign an instance to `develop` or `frozen` by a seeded draw from its name, whatever other rows there are."""
    return PARTS[seeds.unit(seeds.derive(seed, "certificate.split", instance)) >= 0.5]


def require_apart(parts: Mapping[str, Iterable[Graded]]) -> None:
    """Refuse (InputError) a split whose parts share an instance: rules that saw it are not frozen against it."""
    develop, frozen = ({row.instance for row in parts[name]} for name in PARTS)
    if both := sorted(develop & frozen):
        what = f"{len(both)} instances lie in both parts, the first: {both[0][:80]!r}"
        raise InputError(what, where="part", next="a split is by instance: put all rows of one into the same part")


def figures(rows: Sequence[Graded], accepts: str, seed: int) -> dict[str, Any]:
    """Give a certificate's figures of one part, as decimal text: counts, matrix, accuracy, kappa, false grades.

    `accepts` is the grade, and the label, of a right answer: false accepts and rejects are counted by it.
    """
    classes = sorted({row.label for row in rows} | {row.grade for row in rows} | {accepts})
    pairs = Counter((row.label, row.grade) for row in rows)
    hits, right = sum(pairs[each, each] for each in classes), sum(row.label == accepts for row in rows)
    wrongly = sum(count for (label, grade), count in pairs.items() if grade == accepts != label)
    refused = sum(count for (label, grade), count in pairs.items() if label == accepts != grade)
    return {
        "rows": len(rows),
        "instances": len({row.instance for row in rows}),
        "labels": {each: sum(pairs[each, other] for other in classes) for each in classes},
        "matrix": {label: {grade: pairs[label, grade] for grade in classes} for label in classes},
        "accuracy": _decimals(share(hits, len(rows), NOBODY)),
        "kappa": _decimals(_kappa(rows, classes, seed)),
        "false_accept": _decimals(share(wrongly, len(rows) - right, NO_WRONG)),
        "false_reject": _decimals(share(refused, right, NO_RIGHT)),
    }


def _kappa(rows: Sequence[Graded], classes: Sequence[str], seed: int) -> dict[str, Any]:
    """Give Cohen's kappa and its interval over resampled instances, each with all its rows."""
    import numpy as np  # noqa: PLC0415

    places = {name: place for place, name in enumerate(sorted({row.instance for row in rows}))}
    size = len(classes)
    cells: Any = np.zeros((len(places), size * size), np.int64)
    for row in rows:
        cells[places[row.instance], classes.index(row.label) * size + classes.index(row.grade)] += 1
    found = kappa(cells.sum(axis=0).reshape(size, size).tolist()) if rows else None
    if found is None:
        return absent(UNDEFINED if rows else NOBODY)
    drawn = multiplicities(seed, RESAMPLES, {"certificate": range(len(places))})
    # Instances may differ in rows, and then a resample does in its size: kappas are taken one size at a time.
    totals = (drawn @ cells).reshape(-1, size, size)
    values, sizes = np.full(RESAMPLES, np.nan), totals.sum(axis=(1, 2))
    for each in np.unique(sizes):
        values[sizes == each] = kappas(totals[sizes == each])
    return beside(found, values, len(places), UNDEFINED)


def _decimals(measure: Mapping[str, Any]) -> dict[str, Any]:
    """Spell a value and its interval as decimals, since an identity document holds no floats."""
    return {name: _decimal(value) for name, value in measure.items()}


def _decimal(value: Any) -> Any:
    if isinstance(value, list):
        return [_decimal(each) for each in value]
    return f"{value + 0.0:.{DIGITS}f}" if isinstance(value, float) else value
