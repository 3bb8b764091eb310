"""HTML fragments that the page's tables share: a line of scores as a cell, and a model as the head of a row.

Formats lines of the summary; computes no values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.kit import pages
from harness.kit.documents import interval, number
from harness.kit.pages import NONE, Html, el, join, named
from harness.studies.questions.pages.page_facts import QuestionsFacts

Line = Mapping[str, Any]


def at(found: Any, *path: str) -> Mapping[str, Any]:
    """Return a nested object of a document, whatever its fields are called, or an empty one if it does not exist.

    Names of groups and models come from users and may be `missing`, too.
    """
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def who(run: QuestionsFacts, name: str) -> Html:
    """Return the name of a model as the head of a row, marked if the model is a stand-in."""
    return join([named(name), el("span", "stand-in", class_="why") if run.is_stand_in(name) else None])


def place(model: str, dataset: str, scorer: str = "") -> Html:
    """Return the head of a row for a model on a dataset, and a scorer if one is given."""
    return join([named(model), " on ", named(dataset), *([", ", named(scorer)] if scorer else [])])


def scored(run: QuestionsFacts, scorer: str, line: Line | None) -> Html:
    """Format a line of scores: value, interval and number of answers; a dash if there is no line."""
    if not line:
        return join([NONE])
    shown = measured(line, percent=run.in_percent(scorer))
    known, ends = number(line), interval(line)
    counted = known is not None and ends is not None and pages.alike(known, ends)  # the interval's place says n
    told = [] if counted else [f"n = {number(line.get('n')) or 0:,.0f}"]
    told += [
        f"{count:,.0f} {word}" for word in ("errors", "unanswered", "missing") if (count := number(line.get(word)))
    ]
    return join([shown, el("span", ", ".join(told), class_="ci") if told else None])


def measured(line: Line, *, percent: bool) -> Html:
    """Format a value of the summary with its interval, or the reason why it has none."""
    why = {"missing": str(line.get("no_interval", "no value"))}
    value = line.get("value")
    found = {"value": why if value is None else value, "interval": line.get("interval", why), "n": line.get("n")}
    return pages.percent(found) if percent else pages.value(found, digits=3)
