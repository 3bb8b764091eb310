"""HTML fragments that the tables of the page share: a line of scores as a cell, a model as the head of a row.

It knows lines of the summary; it must never compute a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.kit import pages
from harness.kit.documents import number
from harness.kit.pages import NONE, Html, el, join, named
from harness.studies.questions.pages.page_facts import QuestionsFacts

Line = Mapping[str, Any]


def at(found: Any, *path: str) -> Mapping[str, Any]:
    """Give an object inside of a document, whatever its fields are called; an empty one where there is none.

    Groups and models are named by people, and may be called `missing` too.
    """
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def who(run: QuestionsFacts, name: str) -> Html:
    """Give the name of a model as the head of a row, with a word below it where it is a stand-in."""
    return join([named(name), el("span", "stand-in", class_="why") if run.is_stand_in(name) else None])


def place(model: str, dataset: str, scorer: str = "") -> Html:
    """Give the head of a row that is about a model on a dataset, by a scorer."""
    return join([named(model), " on ", named(dataset), *([", ", named(scorer)] if scorer else [])])


def scored(run: QuestionsFacts, scorer: str, line: Line | None) -> Html:
    """Format a line of scores: value, interval, and of how many answers; a dash where there is no line."""
    if not line:
        return join([NONE])
    shown = measured(line, percent=run.in_percent(scorer))
    told = [f"n = {number(line.get('n')) or 0:,.0f}"]
    told += [
        f"{count:,.0f} {word}" for word in ("errors", "unanswered", "missing") if (count := number(line.get(word)))
    ]
    return join([shown, el("span", ", ".join(told), class_="ci")])


def measured(line: Line, *, percent: bool) -> Html:
    """Format a value of the summary with its interval, or the reason why it has none."""
    why = {"missing": str(line.get("no_interval", "no value"))}
    value = line.get("value")
    found = {"value": why if value is None else value, "interval": line.get("interval", why)}
    return pages.percent(found) if percent else pages.value(found, digits=3)
