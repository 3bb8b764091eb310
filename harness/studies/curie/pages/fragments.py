"""HTML fragments that the tables of the page share: a measured cell, marks of coverage, short lists of numbers.

Formats values and does not compute them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from harness.kit.documents import interval, number, section, span
from harness.kit.pages import BESIDE, NONE, Html, el, join, named, value
from harness.studies.curie.pages.run_facts import RunFacts

FEW, FEWER = "§", "¶"  # beside an interval whose simulated coverage is that of 8 records, or that was not simulated
ENOUGH = 15  # number of records from which the better simulated coverage holds
HUGE = 1e7  # values in cells from this size on have an exponent
NOT_FINITE = ("nan", "inf", "-inf")
DEEPEST = 3  # levels of a document that are shown as text


def who(run: RunFacts, name: str) -> Html:
    """Return the name of a model or strategy as the head of a row, with a note below if it is a stand-in."""
    return join([named(name), el("span", "stand-in", class_="why") if run.is_stand_in(name) else None])


def measured(found: Mapping[str, Any], factor: float = 1.0, digits: int = 1) -> Html:
    """Format a cell of `means`: its value with interval, the number of records below, and the mark of its coverage."""
    if not found:
        return join([NONE])
    shown = _odd(found.get("value"), factor) or value(found, digits, factor)
    counts = [number(found.get(name)) for name in ("n", "N")]
    if None in counts:
        return shown
    words = f"{counts[0]:,.0f} of {counts[1]:,.0f}{_marked(found)}"
    return join([shown, el("span", words, class_="ci")])


def _odd(told: Any, factor: float) -> Html | None:
    """Format a value that is not finite or has too many digits for a cell; None for any other value."""
    if isinstance(told, str) and told in NOT_FINITE:
        return join([told])
    known = number(told)
    return None if known is None or abs(known * factor) < HUGE else join([f"{known * factor:.2e}"])


def _marked(found: Mapping[str, Any]) -> str:
    sign = coverage_mark(found, found)
    return f" {sign}" if sign else ""


def coverage_mark(estimate: Any, beside: Mapping[str, Any]) -> str:
    """Return the mark of an interval's simulated coverage; empty if there is no interval, or enough records."""
    if interval(estimate) is None or "coverage" not in beside:
        return ""
    at = number(section(beside, "coverage").get("at_records"))
    return FEWER if at is None else "" if at >= ENOUGH else FEW


def coverage_words(found: Mapping[str, Any]) -> str:
    """Return sentences on the simulated coverage of the intervals, from `simulated_coverage` of a document."""
    simulated = section(found, "simulated_coverage")
    told = {name: span(ends) for name, ends in simulated.items()}
    parts = [f"{_shares(ends)} from {name} on" for name, ends in told.items() if ends]
    if not parts:
        return "How often such intervals hold the truth was not simulated."
    return (
        f"Simulated coverage of these nominal 95 % intervals: {', '.join(parts)} (the second is marked {FEW}); below, "
        f"where {FEWER} stands, it was not simulated."
    )


def _shares(ends: tuple[float, float]) -> str:
    return f"{100 * ends[0]:.0f} to {100 * ends[1]:.0f} %"


def heavy_words(found: Mapping[str, Any]) -> str:
    """Return the reason why distances have no interval, from `intervals` of the document `means`."""
    ends = span(section(found, "not_shown").get("simulated_coverage"))
    if ends is None:
        return ""
    return f"Distances have heavy tails: their intervals held the truth in {_shares(ends)} of simulations; none stands."


def marks_note(found: Mapping[str, Any]) -> str:
    """Return the sentences that explain every mark beside a value or an interval."""
    return " ".join(part for part in (coverage_words(found), heavy_words(found), BESIDE) if part)


def counted(found: Mapping[str, Any], labels: Mapping[str, str] | None = None) -> str:
    """Format counts by name in one line: `suspected swap 2, judge errors 3`; a dash if there are none."""
    named = labels or {}
    parts = [
        f"{named.get(name, name.replace('_', ' '))} {number(count):,.0f}"
        for name, count in found.items()
        if number(count)
    ]
    return ", ".join(parts) or NONE


def within(found: Any, *path: str) -> Mapping[str, Any]:
    """Return an object inside a document, as `section` does, but of counts, which may themselves be named `missing`."""
    for name in path:
        found = found.get(name, {}) if isinstance(found, Mapping) else {}
    return found if isinstance(found, Mapping) else {}


def spelled(found: Any, depth: int = 0) -> str:
    """Format a small part of a document as text: `a: 1, b: (c: 2)`; levels that are too deep become an ellipsis."""
    if isinstance(found, Mapping):
        if depth > DEEPEST:
            return "…"
        parts = [f"{name}: {spelled(each, depth + 1)}".replace("_", " ") for name, each in found.items()]
        return f"({', '.join(parts)})" if depth else ", ".join(parts)
    if isinstance(found, list | tuple):
        return " to ".join(map(_plain, found)) if span(found) else ", ".join(map(_plain, found))
    return _plain(found)


def _plain(found: Any) -> str:
    known = number(found) if not isinstance(found, str) else None
    return str(found) if known is None else f"{known:.6g}"


def columns_with(names: Sequence[str], cells: Iterable[Sequence[Any]]) -> list[int]:
    """Return the positions of the columns in which at least one cell has a value."""
    rows = list(cells)
    return [at for at in range(len(names)) if any(number(row[at]) is not None for row in rows)]
