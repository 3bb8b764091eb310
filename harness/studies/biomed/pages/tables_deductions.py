"""The page's table of points off for irrelevant text, by model, where a model grades.

Says what the grades show, not whether the points were taken off rightly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.kit.documents import number, section
from harness.kit.pages import NONE, Html, count, el, named, percent, table, value
from harness.studies.biomed.pages.fragments import about, plain

WITHIN = (
    "Points off for irrelevant text (0.5 where it harms nobody, 1 where it distracts) are within this grader's one "
    "number: a half shows that 0.5 was taken off, and nothing shows a whole point. With the setting "
    "`deductions: stated` (OURS) the grader states both."
)
STATED = "This grader states what an answer is worth and what it takes off for irrelevant text (OURS)."
READ = {"good_before_alone": "good but for irrelevant text", "held_at_0": "held at 0", "halves": "halves"}


def deductions(document: Mapping[str, Any]) -> Iterator[Html]:
    """Yield what was taken off for irrelevant text, by model; nothing without the document."""
    models = section(document, "models")
    if not models:
        return
    stated = {name: section(each, "stated") for name, each in models.items()}
    if not any(number(each.get("n")) for each in stated.values()):
        yield el("p", WITHIN)
        body = [[named(name), count(each.get("n")), count(each.get("halves"))] for name, each in models.items()]
        yield table("Grades that are no whole number", ["Model", "Answers", "Halves"], body)
        return
    yield el("p", STATED)
    head = [
        "Model", "Answers", "0.5 off", "1 off", "Any off", "Mean off", "BioScore before", "BioScore",
        "Good but for irrelevant text", "Held at 0",
    ]  # fmt: skip
    yield table("Points off for irrelevant text", head, [_row(name, each) for name, each in stated.items()])
    yield about(section(document, "about"), READ)


def _row(name: str, stated: Mapping[str, Any]) -> list[Any]:
    if not number(stated.get("n")):
        return [named(name), count(0), *[NONE] * 8]
    off = section(stated, "off")
    return [
        named(name),
        count(stated.get("n")),
        count(off.get("0.5")),
        count(off.get("1.0")),
        percent(stated.get("share_with_any")),
        plain(stated.get("mean_off")),
        value(section(stated, "before").get("BioScore"), 2),
        value(section(stated, "after").get("BioScore"), 2),
        count(stated.get("good_before_alone")),
        count(stated.get("held_at_0")),
    ]
