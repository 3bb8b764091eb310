"""Differences between models, and between models and cheap strategies, on the same records.

Formats the document `comparisons`. Computes no values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.kit.documents import interval, number, section
from harness.kit.pages import NONE, Html, count, el, folded, join, named, table, value
from harness.studies.curie.pages.fragments import coverage_mark, coverage_words
from harness.studies.curie.pages.run_facts import HUNDRED, RunFacts, factor, task_title

AVERAGES = ("ten", "nine")
READING = (
    "in points of 0 to 100: the first less the second, on the records that both have a value of. Bold: the interval "
    "does not hold 0; nothing corrects for how many differences stand here"
)
UNSIMULATED = "Of the averages' intervals the coverage was not simulated."
Pair = Mapping[str, Any]


def pairs(run: RunFacts, document: Mapping[str, Any], means: Mapping[str, Any]) -> list[Html]:
    """Return the tables of differences: models, then models and strategies folded away; empty without any pairs."""
    given: Sequence[Pair] = [pair for pair in document.get("pairs") or [] if isinstance(pair, Mapping)]
    models = [pair for pair in given if pair.get("b") not in run.strategies]
    beside = [pair for pair in given if pair.get("b") in run.strategies]
    if not given:
        return []
    found = [el("p", f"{coverage_words(document)} {UNSIMULATED}", class_="soft")]
    if models:
        found.insert(0, _differences(run, models, means, "Models against each other"))
    else:
        found.insert(0, el("p", "There is one model: nothing to compare it with but the cheap strategies."))
    if beside:
        inside = _differences(run, beside, means, "Models against cheap strategies")
        found.append(folded("Models against cheap strategies", inside))
    return [*found, *_distances(models)]


def _differences(run: RunFacts, given: Sequence[Pair], means: Mapping[str, Any], title: str) -> Html:
    tasks = [task for task in run.tasks if any(section(pair, "tasks", task) for pair in given)]
    head = ["Pair", "Ten tasks", "Nine, without BIOGR", *map(task_title, tasks)]
    body = [
        [
            _pair(pair),
            *(_difference(section(pair, "averages", name), HUNDRED) for name in AVERAGES),
            *(_difference(section(pair, "tasks", task), factor(means, task)) for task in tasks),
        ]
        for pair in given
    ]
    return table(f"{title}, {READING}", head, body)


def _pair(pair: Pair) -> Html:
    return join([named(str(pair.get("a"))), " less ", named(str(pair.get("b")))])


def _difference(found: Mapping[str, Any], scale: float) -> Html:
    """Format one difference with the number of records, in bold if its interval does not contain 0."""
    told = found.get("difference")
    if number(told) is None:
        return join([NONE])
    ends, shown = interval(told), value(told, 1, scale)
    sure = ends is not None and not ends[0] <= 0 <= ends[1]
    records = number(found.get("n"))
    words = "" if records is None else f"n {records:,.0f} {coverage_mark(told, found)}".strip()
    return join([el("strong", shown) if sure else shown, el("span", words, class_="ci")])


def _distances(given: Sequence[Pair]) -> Iterator[Html]:
    body = [
        [
            _pair(pair),
            metric.replace("_", " "),
            _number(row.get("difference")),
            count(row.get("n")),
            *(count(row.get(name)) for name in ("n_a_larger", "n_b_larger", "n_equal")),
        ]
        for pair in given
        for metric, row in section(pair, "distances").items()
        if number(row.get("difference")) is not None
    ]
    if body:
        head = ["Pair", "Distance", "Difference", "Records", "First larger", "Second larger", "Equal"]
        shown = table("BIOGR: differences of distances, which have heavy tails and so no interval", head, body)
        yield folded("BIOGR: differences of distances", shown)


def _number(found: Any) -> Html:
    known = number(found)
    return join([NONE if known is None else f"{known:z.3f}"])
