"""The figures of a grader's certificate: agreement of its grades with labels, rows clustered by instance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness import seeds
from harness.errors import InputError
from harness.kit.agreement import NOBODY, UNDEFINED, kappas
from harness.kit.certificate import PARTS, Missed, PartFigures, matrix_figures, spell_decimals
from harness.kit.resample import RESAMPLES, absent, beside, multiplicities
from harness.stats import kappa


@dataclass(frozen=True, slots=True)
class Graded:
    """One labelled row: the reference label, the grader's grade, and the instance (cluster) of the row."""

    instance: str
    label: str
    grade: str
    id: str = ""  # names the row where it is missed


def part_of(seed: int, instance: str) -> str:
    """Assign an instance to `develop` or `frozen` by a seeded draw from its name, independent of other rows."""
    return PARTS[seeds.unit_number(seeds.derive_seed(seed, "certificate.split", instance)) >= 0.5]


def require_apart(parts: Mapping[str, Iterable[Graded]]) -> None:
    """Raise InputError for a split whose parts share an instance, because the rules must not have seen frozen rows."""
    develop, frozen = ({row.instance for row in parts[name]} for name in PARTS)
    if both := sorted(develop & frozen):
        what = f"{len(both)} instances lie in both parts, the first: {both[0][:80]!r}"
        raise InputError(what, where="part", next="a split is by instance: put all rows of one into the same part")


def misses(rows: Iterable[Graded]) -> list[Missed]:
    """Return the rows that a grader graded otherwise than they are labelled, by their ids."""
    return [{"id": row.id, "label": row.label, "given": row.grade} for row in rows if row.label != row.grade]


def figures(rows: Sequence[Graded], accepts: str, seed: int) -> PartFigures:
    """Return a certificate's figures of one part, as decimal text: counts, matrix, accuracy, kappa, false grades.

    `accepts` is the label and the grade of a right answer, by which false accepts and rejects are counted.
    """
    classes = sorted({row.label for row in rows} | {row.grade for row in rows} | {accepts})
    pairs = Counter((row.label, row.grade) for row in rows)
    matrix = {label: {grade: pairs[label, grade] for grade in classes} for label in classes}
    shares = matrix_figures(matrix, accepts)
    return {
        "rows": len(rows),
        "instances": len({row.instance for row in rows}),
        "labels": {label: sum(row.values()) for label, row in matrix.items()},
        "matrix": matrix,
        "accuracy": shares["accuracy"],
        "false_accept": shares["false_accept"],
        "false_reject": shares["false_reject"],
        "kappa": spell_decimals(_kappa(rows, classes, seed)),
    }


def _kappa(rows: Sequence[Graded], classes: Sequence[str], seed: int) -> dict[str, Any]:
    """Return Cohen's kappa and its interval over resampled instances, each with all its rows."""
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
    # If instances have different numbers of rows, resamples differ in size, so kappas are computed one size at a time.
    totals = (drawn @ cells).reshape(-1, size, size)
    values, sizes = np.full(RESAMPLES, np.nan), totals.sum(axis=(1, 2))
    for each in np.unique(sizes):
        values[sizes == each] = kappas(totals[sizes == each])
    return beside(found, values, len(places), UNDEFINED)
