"""Ratings of study S1: the row, its validation, and arrays for a bootstrap over people.

Rule: docs/reliability-rules.md#people. Works on people's numbers on items; treats simulated people like real ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError
from harness.kit import resample
from harness.kit.resample import multiplicities
from harness.stats import is_number, spearman
from harness.studies.reliability.rowtypes import Expected
from harness.studies.reliability.terms import LABELS

FIELDS = ("participant_id", "benchmark", "instance_id", "answer_label", "confidence", "expected_failure")
CONSTANT = "constant, or fewer than two items"


@dataclass(frozen=True, slots=True)
class Rating:
    """One person's rating of one item: own answer's label, confidence in it, and the failure expected of others."""

    person: str
    benchmark: str
    item: str
    label: str
    confidence: float
    expected: float

    def row(self) -> Expected:
        """Return the rating as a survey row."""
        return {
            "participant_id": self.person,
            "benchmark": self.benchmark,
            "instance_id": self.item,
            "answer_label": self.label,
            "confidence": self.confidence,
            "expected_failure": self.expected,
        }


def ratings(rows: Iterable[Any]) -> list[Rating]:
    """Parse survey rows of study S1 (expected failures) as ratings.

    Raises InputError for a malformed row and for a participant who rates the same item twice.
    """
    found: dict[tuple[str, str, str], Rating] = {}
    for number, row in enumerate(rows, 1):
        where = f"s1 row {number}"
        if not isinstance(row, Mapping):
            raise InputError("a row is not an object", where=where, next=f"give {', '.join(FIELDS)}")
        for name in FIELDS[:3]:
            if not isinstance(row.get(name), str):
                raise InputError(f"`{name}` is missing or not text", where=where)
        if row.get("answer_label") not in LABELS:
            raise InputError("`answer_label` is none of c, a, i", where=where)
        for name in FIELDS[4:]:
            if not is_number(row.get(name)) or not 0 <= row[name] <= 100:
                raise InputError(f"`{name}` is missing or no number from 0 to 100", where=where)
        each = Rating(*(row[name] for name in FIELDS))
        if (key := (each.person, each.benchmark, each.item)) in found:
            raise InputError("a participant rates the same item twice", where=where, next="keep one of the two rows")
        found[key] = each
    return list(found.values())


class RatingArrays:
    """Ratings as arrays of people x items, with bootstrap resamples of people.

    `there` marks the items that a person rated; `expected`, `failed` (the person's own answer) and `sure` are in per
    cent.
    """

    def __init__(self, given: Sequence[Rating], seed: int, draws: int) -> None:
        import numpy as np  # noqa: PLC0415

        self.people = sorted({each.person for each in given})
        self.items = sorted({each.item for each in given})
        row = {person: number for number, person in enumerate(self.people)}
        column = {item: number for number, item in enumerate(self.items)}
        shape = (len(self.people), len(self.items))
        self.there, self.expected, self.failed, self.sure = (np.zeros(shape) for _ in range(4))
        for each in given:
            at = row[each.person], column[each.item]
            self.there[at], self.expected[at], self.sure[at] = 1, each.expected, each.confidence
            self.failed[at] = 0 if each.label == "c" else 100
        self.drawn = multiplicities(seed, draws, {"people": range(len(self.people))}).astype(np.float64)
        self.rated = self.drawn @ self.there

    def means(self, values: Any) -> tuple[Any, Any]:
        """Return each item's mean of one of the arrays: as rated, and in each resample (nan if no one rated it)."""
        return values.sum(axis=0) / self.there.sum(axis=0), resample.ratio(self.drawn @ values, self.rated)

    def mean(self, values: Any, of: Any = None) -> tuple[float | None, Any]:
        """Return the mean of an array over all ratings, or those that `of` marks: as rated, and in each resample."""
        of = self.there if of is None else of
        value = float((values * of).sum() / of.sum()) if of.sum() else None
        return value, resample.ratio(self.drawn @ (values * of).sum(axis=1), self.drawn @ of.sum(axis=1))

    def shown(self, value: float | None, values: Any, why: str = "no such ratings") -> dict[str, Any]:
        """Return a value with its interval over resampled people, as plain data; without one, `missing` with `why`."""
        return resample.beside(value, values, len(self.people), why)

    def spearman(self, left: tuple[Any, Any], right: tuple[Any, Any]) -> dict[str, Any]:
        """Return Spearman's correlation, with its interval, of two measures of items, each (as rated, resampled)."""
        value = spearman(left[0].tolist(), right[0].tolist())
        return self.shown(value, resample.spearman_rows(left[1], right[1]), CONSTANT)

    def difference(self, left: tuple[float | None, Any], right: tuple[float | None, Any]) -> dict[str, Any]:
        """Return the first mean minus the second, with its interval; each is (as rated, in each resample)."""
        value = None if left[0] is None or right[0] is None else left[0] - right[0]
        return self.shown(value, left[1] - right[1])
