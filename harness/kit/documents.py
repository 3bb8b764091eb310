"""Accessors for analysis documents, for figures and pages: values, intervals, and why something is absent."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows

NO_VALUE = "no value"


def documents(inputs: Mapping[str, Path], names: Iterable[str]) -> dict[str, Mapping[str, Any]]:
    """Read the JSON documents called `names` from a step's inputs of these names; empty for inputs that are absent."""
    return {name: next(iter(rows.read(inputs[name])), {}) if name in inputs else {} for name in names}


def number(value: Any) -> float | None:
    """Return the number in a value, a statistic with an interval or a text; None if it is absent or not finite."""
    if isinstance(value, Mapping):
        value = value.get("value")
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def interval(value: Any) -> tuple[float, float] | None:
    """Return the two bounds of a statistic's `interval` field; None if it has none."""
    bounds = value.get("interval") if isinstance(value, Mapping) else None
    return span(bounds)


def span(bounds: Any) -> tuple[float, float] | None:
    """Return the two bounds of a range as numbers; None if one of them is absent."""
    if not isinstance(bounds, list | tuple) or len(bounds) != 2:
        return None
    low, high = number(bounds[0]), number(bounds[1])
    return None if low is None or high is None else (low, high)


def ends(found: Mapping[str, Any]) -> str:
    """Format a bin's lowest and highest difficulty as a range, or else its mean; empty if it has neither."""
    bounds = span([found.get("low"), found.get("high")])
    if bounds:
        return "\N{EN DASH}".join(dict.fromkeys(f"{end:.0f}" for end in bounds))
    mean = number(found.get("difficulty"))
    return "" if mean is None else f"{mean:.0f}"


def reason(value: Any) -> str:
    """Return the reason why a value is absent, as the analysis wrote it; `no value` if it wrote none."""
    for found in (value, value.get("value") if isinstance(value, Mapping) else None):
        if isinstance(found, Mapping) and "missing" in found:
            return str(found["missing"])
    return NO_VALUE


def section(document: Any, *path: str) -> Mapping[str, Any]:
    """Return an object inside a document by its path of keys; empty if a part of the path is absent or missing."""
    for name in path:
        document = document.get(name, {}) if isinstance(document, Mapping) else {}
    return document if isinstance(document, Mapping) and "missing" not in document else {}


def resampled(found: Mapping[str, Any]) -> str:
    """Describe in words how an analysis computed its intervals: the confidence level and the number of resamples."""
    level, count = number(found.get("level")), number(found.get("resamples"))
    if level is None or not count:
        return "No intervals were computed."
    fixed: Sequence[Any] = found.get("fixed") or ()
    words = f"Intervals: {100 * level:g} % percentile, {count:,.0f} resamples of {found.get('of', 'instances')}"
    return f"{words}; {' and '.join(map(str, fixed))} held fixed." if fixed else f"{words}."
