"""The table of a page that compares the run's two models: paired differences with intervals and tests.

Uses the document of the comparison; computes no values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.kit import pages
from harness.kit.documents import number
from harness.kit.pages import NONE, Html, count, el, join, named, table
from harness.studies.questions.pages.fragments import measured
from harness.studies.questions.pages.page_facts import QuestionsFacts

NOTE = (
    "Pairs are an item in a wording each, the mean over its samples. A difference is the second model's value less the "
    "first one's. p is of McNemar's exact test, or of random signs; corrected by Holm over the lines. Won and lost: "
    "right by one model alone."
)


def comparison(run: QuestionsFacts, found: Mapping[str, Any]) -> list[Html]:
    """Return the table that compares two models; nothing if the run compares none."""
    lines: Sequence[Mapping[str, Any]] = found.get("lines") or ()
    if not lines:
        return []
    left, right = (str(name) for name in found["models"])
    head = ["Dataset and scorer", "Pairs", named(left), named(right), "Difference", "p", "p (Holm)", "Won", "Lost"]
    body = [
        [
            join([named(str(line["dataset"])), ", ", named(str(line["scorer"]))]),
            count(line.get("n")),
            *(_mean(run, line, side) for side in ("left", "right")),
            measured(line, percent=run.in_percent(str(line["scorer"]))),
            *(_chance(line.get(name)) for name in ("p", "p_holm")),
            count(line.get("won")),
            count(line.get("lost")),
        ]
        for line in lines
    ]
    return [
        table(join([named(left), " and ", named(right), " on the same items"]), head, body),
        el("p", NOTE, class_="soft"),
    ]


def _mean(run: QuestionsFacts, line: Mapping[str, Any], side: str) -> Html:
    value = line.get(side)
    return pages.percent(value) if run.in_percent(str(line["scorer"])) else pages.value(value, digits=3)


def _chance(p: Any) -> Html:
    known = number(p)
    return join([NONE if known is None else "< 0.0001" if known < 0.0001 else f"{known:.3g}"])
