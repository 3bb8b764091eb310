"""Table cells as HTML: a value of an analysis with its interval, or a dash with the reason it is absent.

It knows values and marks; it must never know what a value means.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.studies.documents import interval, number, reason, span
from harness.studies.pages import Html, el, join

NONE = "\N{EN DASH}"
BESIDE = "‡ the interval lies beside the value: a percentile interval of resamples need not contain it."
ROUNDING = 1e-9  # value and resamples are computed apart: what differs by less is the same


def value(found: Any, digits: int = 1, scale: float = 1.0, unit: str = "") -> Html:
    """Format a value with its interval under it and its marks behind it; an absent one is a dash with the reason.

    The mark † stands for a degenerate value, ‡ for one that lies outside of its interval.
    """
    known, bounds = number(found), interval(found)
    if known is None:
        return join([NONE, el("span", reason(found)[:120], class_="why")])
    marks = "†" if isinstance(found, Mapping) and found.get("degenerate") is True else ""
    marks += "‡" if bounds and not _within(known, bounds) else ""
    under = None
    if bounds:
        low, high = (f"{end * scale:z.{digits}f}" for end in bounds)
        under = el("span", f"[{low}, {high}]", class_="ci")
    elif isinstance(found, Mapping) and "interval" in found:
        under = el("span", "no interval", class_="ci")
    return join([f"{known * scale:z.{digits}f}{unit}{f' {marks}' if marks else ''}", under])


def _within(known: float, bounds: tuple[float, float]) -> bool:
    slack = ROUNDING * max(1.0, abs(known))
    return bounds[0] - slack <= known <= bounds[1] + slack


def percent(found: Any, digits: int = 1) -> Html:
    """Format a share of 0 to 1 as a percentage, with interval and marks as `value` does."""
    return value(found, digits, 100, " %")


def count(found: Any) -> Html:
    """Format a whole number with thousands separators; an absent one is a dash, without a reason."""
    known = number(found)
    return join([NONE if known is None else f"{known:,.0f}"])


def bounds(found: Any, scale: float = 1.0, digits: int = 0, unit: str = "") -> Html:
    """Format a range by its two bounds: one number where they read alike, a dash where either is absent."""
    known = span(found)
    if known is None:
        return join([NONE])
    low, high = (f"{end * scale:z.{digits}f}" for end in known)
    return join([f"{low} to {high}{unit}" if low != high else f"{low}{unit}"])
