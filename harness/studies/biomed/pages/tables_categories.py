"""Tables by category: the numbers of the heat maps, biological and reasoning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.kit.documents import number, section
from harness.kit.pages import Html, el, folded, join, named, table
from harness.studies.biomed.pages.fragments import about, plain
from harness.studies.biomed.pages.page_facts import KINDS, QUANTITIES, PageFacts
from harness.studies.biomed.terms import PAPER

OPEN = (("biological", "RQR"), ("biological", "SR"), ("reasoning", "RQR"))
NA = "NA"  # what the published figure writes in a cell with too few answers
READING = f"{NA}: fewer than 5 answers; a question counts once in each of its categories"


def categories(run: PageFacts, document: Mapping[str, Any]) -> list[Html]:
    """Return a table for each heat map, by the grader that counts; tables other than the main ones are folded."""
    found = section(document, "graders", run.counting)
    if not found:
        return []
    order = [str(name) for name in found.get("order") or []]
    made = {
        (kind, rate): _table(order, kind, rate, drawn)
        for kind in KINDS
        for rate, drawn in section(found, "kinds", kind).items()
    }
    shown = [each for key, each in made.items() if key in OPEN]
    rest = [
        folded(f"{QUANTITIES.get(rate, rate)}, by {KINDS[kind]}", each)
        for (kind, rate), each in made.items()
        if (kind, rate) not in OPEN
    ]
    return [*shown, *rest, *_notes(run, document)]


def _table(order: Sequence[str], kind: str, rate: str, drawn: Mapping[str, Any]) -> Html:
    names, values, sizes = (drawn.get(part) or [] for part in ("categories", "values", "n"))
    body = [
        [str(name), *(_cell(values, sizes, row, column) for column in range(len(order)))]
        for row, name in enumerate(names)
    ]
    caption = f"{QUANTITIES.get(rate, rate)}, by {KINDS[kind]}, from 0 to 1. {READING}"
    if not body:
        return el("p", f"{caption}: no category is shown.")
    return table(caption, ["Category", *(named(name) for name in order)], body)


def _cell(values: Sequence[Any], sizes: Sequence[Any], row: int, column: int) -> Html:
    known = number(values[row][column])
    shown = el("span", f"n {number(sizes[row][column]) or 0:,.0f}", class_="ci") if sizes else None
    few = known is None and "fewer than" in str(values[row][column])
    return join([NA if few else plain(values[row][column]), shown])


def _notes(run: PageFacts, document: Mapping[str, Any]) -> Iterator[Html]:
    said = section(document, "about")
    kept = ("SR", "SR_official", "published") if run.mode == PAPER else ("SR", "strict")
    yield about({name: said[name] for name in kept if name in said}, {"SR_official": "Safety, as published"})
