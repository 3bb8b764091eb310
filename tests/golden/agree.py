"""Comparison of a found value with an expected one: where the two first differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Within:
    """How far a number may be from the expected one: so much, and so much of the expected one beside."""

    absolute: float = 1e-9
    relative: float = 0.0

    def holds(self, expected: float, found: float) -> bool:
        """Compare two numbers; what is not finite must be the same, and NaN stands for itself."""
        if math.isfinite(expected) and math.isfinite(found):
            return abs(expected - found) <= self.absolute + self.relative * abs(expected)
        return expected == found or (math.isnan(expected) and math.isnan(found))


def agree(expected: Any, found: Any, within: Within) -> bool:
    """Compare as data: a truth value is no number, a list has its length, a float its tolerance."""
    return next(differences(expected, found, within), None) is None


def differences(expected: Any, found: Any, within: Within, place: str = "") -> Iterator[str]:
    """Name each place in which two values part, with what was expected there and what was found."""
    if isinstance(expected, np.ndarray | np.generic) or isinstance(found, np.ndarray | np.generic):
        expected, found = _plain(expected), _plain(found)
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for number, (one, other) in enumerate(zip(expected, found, strict=True)):
            yield from differences(one, other, within, f"{place}[{number}]")
    elif isinstance(expected, list) and isinstance(found, list):
        yield f"{place}: expected {len(expected)} values, found {len(found)}: {_short(expected)}, {_short(found)}"
    elif isinstance(expected, Mapping) and isinstance(found, Mapping):
        for key in sorted(expected.keys() ^ found.keys(), key=str):
            here = f"{place}.{key}" if place else str(key)
            given = (
                f"{_short(expected[key])}, found nothing" if key in expected else f"nothing, found {_short(found[key])}"
            )
            yield f"{here}: expected {given}"
        for key in expected.keys() & found.keys():
            yield from differences(expected[key], found[key], within, f"{place}.{key}" if place else str(key))
    elif not _same(expected, found, within):
        yield f"{place}: expected {_short(expected)}, found {_short(found)}"


def _same(expected: Any, found: Any, within: Within) -> bool:
    if isinstance(expected, bool) or isinstance(found, bool):
        return expected is found
    if isinstance(expected, int) and isinstance(found, int):
        return expected == found
    if isinstance(expected, int | float) and isinstance(found, int | float):
        return within.holds(expected, found)
    return type(expected) is type(found) and bool(expected == found)


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}…"
