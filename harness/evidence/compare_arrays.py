"""Comparison of array files with expected ones: element by element, within a tolerance (absolute, or relative).

Types and shapes must be equal; NaN agrees with NaN, and an infinity with itself. Elements are compared as binary
numbers, block by block; arrays in Fortran order are read whole. It must never know what an array means.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from harness import arrays
from harness.errors import InputError
from harness.npy import ArrayHeader
from harness.texts import RELATIVE

SHOWN = 60
WHOLE = 2**64 - 1  # no two whole numbers of an array are further apart


@dataclass(frozen=True)
class Deviation:
    """The largest deviation between two array files: its index, both values, how many elements are out of tolerance.

    Where file form, names, types or shapes differ it holds those in place of values, and `of` is 0.
    """

    at: str
    expected: str
    found: str
    count: int = 0
    of: int = 0

    def text(self, tolerance: str) -> str:
        """Return the deviation as one line of text, which repeats the tolerance where elements were compared."""
        told = f"{self.at} is {self.found}, expected {self.expected}"
        return f"{told} within {tolerance} ({self.count} of {self.of} elements stray)" if self.of else told


def deviation_text(tolerance: str, expected: Path, found: Path) -> str:
    """Describe where an array file is out of tolerance, of another type or shape, or unreadable; "" if it agrees."""
    try:
        stray = largest_deviation(tolerance, expected, found)
    except InputError as bad:
        return f"{bad.what} ({bad.where})" if bad.where else bad.what
    return stray.text(tolerance) if stray else ""


def largest_deviation(tolerance: str, expected: Path, found: Path) -> Deviation | None:
    """Return the largest deviation between two files of arrays; None where all elements are within the tolerance.

    Files of different form, array names, types or shapes are not compared further: that difference is returned.
    """
    forms = [arrays.file_format(path) or "no array" for path in (expected, found)]
    if forms[0] != forms[1]:
        return Deviation("the output", forms[0], forms[1])
    one, two = arrays.headers(expected), arrays.headers(found)
    if one.keys() != two.keys():
        name = min(one.keys() ^ two.keys())
        return Deviation(name, "there", "absent") if name in one else Deviation(name, "absent", "there")
    strays = []
    for name in one:
        if (one[name].dtype, one[name].shape) != (two[name].dtype, two[name].shape):
            return Deviation(name or "the array", one[name].text(), two[name].text())
        worst = _Worst(name, one[name], tolerance)
        for left, right in _pairs(expected, one[name], found, two[name], name):
            worst.see(left, right)
        if worst.count:
            strays.append((worst.measure, worst.stray()))
    return max(strays, key=lambda pair: pair[0])[1] if strays else None


def _pairs(expected: Path, one: ArrayHeader, found: Path, two: ArrayHeader, name: str) -> Iterator[tuple[Any, Any]]:
    """Give the same elements of both: block by block, or whole where one of them lies in another order."""
    if one.fortran or two.fortran:
        yield arrays.read(expected, name), arrays.read(found, name)
    else:
        yield from zip(arrays.blocks(expected, name), arrays.blocks(found, name), strict=True)


class _Worst:
    """The largest deviation among the elements compared so far."""

    def __init__(self, name: str, head: ArrayHeader, tolerance: str) -> None:
        self.name, self.head = name, head
        self.amount, self.relative = Decimal(tolerance.removesuffix(RELATIVE)), tolerance.endswith(RELATIVE)
        self.seen, self.count, self.measure = 0, 0, -1.0
        self.place, self.values = 0, ("", "")

    def see(self, left: Any, right: Any) -> None:
        """Compare the next block of elements, count those out of tolerance and keep the largest deviation."""
        import numpy as np  # noqa: PLC0415 - heavy

        left, right = left.reshape(-1), right.reshape(-1)
        with np.errstate(all="ignore"):
            strays, measure = self._apart(left, right)
        if strays.any():
            self.count += int(strays.sum())
            at = int(np.where(strays, measure, -1.0).argmax())
            if measure[at] > self.measure:
                self.measure, self.place = float(measure[at]), self.seen + at
                self.values = (str(left[at])[:SHOWN], str(right[at])[:SHOWN])
        self.seen += len(left)

    def _apart(self, one: Any, two: Any) -> tuple[Any, Any]:
        """Say which elements stray, and how far they are apart: by the difference, or its share of the expected."""
        import numpy as np  # noqa: PLC0415

        kind = one.dtype.kind
        if kind in "bUS":
            strays = one != two
            return strays, strays.astype(float)
        if kind in "iu":  # whole numbers stay whole: in unsigned ones a difference cannot overflow
            far = np.maximum(one, two).astype(np.uint64) - np.minimum(one, two).astype(np.uint64)
            strays = far > np.uint64(min(int(self.amount), WHOLE))
        else:
            wide = np.complex128 if kind == "c" else np.float64
            one, two = one.astype(wide), two.astype(wide)
            far = np.abs(two - one)
            far[(one == two) | (np.isnan(one) & np.isnan(two))] = 0
            far[np.isnan(far)] = np.inf
            strays = far > float(self.amount)
        if not self.relative:
            return strays, far.astype(float)
        size, far = np.abs(one.astype(complex if kind == "c" else float)), far.astype(float)
        strays = (far > float(self.amount) * size) | (np.isinf(far) & (far > 0))
        return strays, np.where((size > 0) & np.isfinite(far), far / size, np.inf)

    def stray(self) -> Deviation:
        """Return the largest deviation with its index."""
        import numpy as np  # noqa: PLC0415

        index = [int(one) for one in np.unravel_index(self.place, self.head.shape)] if self.head.shape else []
        return Deviation(f"{self.name}{index}", *self.values, self.count, self.seen)
