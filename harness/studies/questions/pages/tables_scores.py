"""The tables of scores: models against scorers, for each dataset and for each group of its items.

Uses the summary; computes no values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.kit.documents import reason
from harness.kit.pages import Html, el, folded, join, named, table
from harness.studies.questions.pages.fragments import at, scored, who
from harness.studies.questions.pages.page_facts import QuestionsFacts

OPEN = 12  # groups of a column that are shown unfolded


def scores(run: QuestionsFacts, summary: Mapping[str, Any]) -> list[Html]:
    """Return the tables of scores, one per dataset, with a row per model and a column per scorer."""
    return [_dataset(run, summary, name) for name in at(summary, "datasets")]


def _dataset(run: QuestionsFacts, summary: Mapping[str, Any], dataset: str) -> Html:
    lines = {model: at(summary, "scores", model, dataset) for model in run.models}
    scorers = [name for name in run.scorers if any(name in line for line in lines.values())]
    body = [
        [who(run, model), *(scored(run, scorer, line.get(scorer)) for scorer in scorers)]
        for model, line in lines.items()
    ]
    return table(f"{dataset}: mean scores with 95 % intervals", ["Model", *map(named, scorers)], body)


def groups(run: QuestionsFacts, summary: Mapping[str, Any]) -> list[Html]:
    """Return the scores of each group: for each dataset and column a table per scorer, with a row per group."""
    found = at(summary, "groups")
    return [part for dataset in found for column in found[dataset] for part in _column(run, found, dataset, column)]


def _column(run: QuestionsFacts, found: Mapping[str, Any], dataset: str, column: str) -> Iterator[Html]:
    values = at(found, dataset, column, "values")
    yield el("h3", f"{dataset}, by ", named(column))
    if not values:
        yield el("p", f"No groups: {reason(found[dataset][column])}.")
        return
    tables = []
    for scorer in run.scorers:
        body = [
            [named(value), *(scored(run, scorer, at(lines, model).get(scorer)) for model in run.models)]
            for value, lines in values.items()
        ]
        if any(scorer in at(lines, model) for lines in values.values() for model in run.models):
            tables.append(table(join([scorer, " by ", named(column)]), ["Group", *map(named, run.models)], body))
    yield join(tables) if len(values) <= OPEN else folded(f"{len(values)} groups", *tables)
