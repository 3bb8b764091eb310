"""How a value of an analysis is spelled on a card and on the page: with its interval, or with why it is absent.

It knows values and words; it must never know what a value means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.studies.pages import Html, el, join
from harness.studies.reliability.pages.reading import SHARES, interval, number, reason, section, span

NONE = "\N{EN DASH}"
PART = {"target_only": "target word only", "true_target_kept": "true target kept"}
MARKS = (
    "† degenerate: all alike, one item or one wording; of a mean, on at least one of its benchmarks.",
    "‡ the interval lies beside the value: a percentile interval of resamples need not contain it.",
)  # what `value` puts behind a number
ROUNDING = 1e-9  # value and resamples are computed apart: what differs by less is the same
BAR, TALL = 4, 36  # units of a small stacked bar


def value(found: Any, digits: int = 1, scale: float = 1.0, unit: str = "") -> Html:
    """Spell a value, its interval under it and its marks behind it; a dash stands with its reason."""
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
    """Spell a share of 0 to 1 in percent."""
    return value(found, digits, 100, " %")


def count(found: Any) -> Html:
    """Spell a whole number, thousands apart."""
    known = number(found)
    return join([NONE if known is None else f"{known:,.0f}"])


def bounds(found: Any, scale: float = 1.0, digits: int = 0, unit: str = "") -> Html:
    """Spell two ends."""
    known = span(found)
    if known is None:
        return join([NONE])
    low, high = (f"{end * scale:z.{digits}f}" for end in known)
    return join([f"{low} to {high}{unit}" if low != high else f"{low}{unit}"])


def part(name: str) -> str:
    """Name a part of a benchmark in words."""
    whole, _, inside = name.partition(":")
    return f"{whole}: {PART.get(inside, inside)}" if inside else whole


def bars(bins: Sequence[Mapping[str, Any]], name: str) -> Html:
    """Draw small stacked bars by hand: from below correct, avoidant, incorrect; the easiest bin is on the left."""
    known = [[number(each.get(share)) for share in SHARES] for each in bins]
    scored = [triple for triple in known if None not in triple]
    if not scored:
        return join([NONE])
    drawn = []
    for place, triple in enumerate(known):
        top = float(TALL)
        for share, letter in zip(triple, "cai", strict=True):
            high = TALL * (share or 0.0)
            top -= high
            if high >= 0.05:
                size = {"x": str(BAR * place), "y": f"{max(top, 0):.1f}", "width": str(BAR), "height": f"{high:.1f}"}
                drawn.append(el("rect", class_=letter, **size))
    first, last = (", ".join(f"{share or 0:.0%} {what}" for share, what in zip(triple, SHARES, strict=True))
                   for triple in (scored[0], scored[-1]))  # fmt: skip
    wide = str(BAR * len(known))
    return el(
        "svg", *drawn, class_="bars", role="img", viewBox=f"0 0 {wide} {TALL}", width=wide, height=str(TALL),
        aria_label=f"{name}: easiest bin {first}; hardest bin {last}",
    )  # fmt: skip


def people(document: Mapping[str, Any]) -> str:
    """Say whether people took part, and whether they were people."""
    if not section(document, "s1") and not section(document, "s2"):
        return "No answers of people, real or simulated, are part of this run."
    if document.get("simulated") is True:
        return "Simulated respondents: no person took part; what they say proves the analysis and nothing about people."
    return "Answers of people who took part in the surveys that were given to this run."
