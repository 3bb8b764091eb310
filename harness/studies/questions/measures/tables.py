"""The parts of the summary that are lines of scores: of all answers, and of each group.

Works on scores and their meanings; independent of how scores are made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from harness.kit.meaning import Meaning
from harness.kit.score_lines import ScoredAnswer, ScoreLine, score_lines
from harness.studies.questions.measures.scored_items import ScoredItems

MOST_GROUPS = 200  # a column with more different values is not treated as groups
Meanings = Mapping[str, Meaning]
Tree = dict[str, Any]
APART = ("model", "dataset", "scorer", "metric")  # fields that the place of a line in the summary already tells


def scores(found: ScoredItems, meanings: Meanings) -> Tree:
    """Return the mean score over all answers by model, dataset and scorer, with further metrics below it."""
    return _tree(score_lines(found.answers, meanings))


def groups(found: ScoredItems, meanings: Meanings) -> Tree:
    """Return the mean scores over each group of items, by dataset, grouping column and value.

    A column with too many values has the reason instead.
    """
    values = {
        dataset: _by_column(facts.groups for facts in items) for dataset, items in sorted(found.datasets().items())
    }
    parts: dict[tuple[str, str, str], list[ScoredAnswer]] = {}
    for answer in found.answers:
        for column, value in found.items[answer.row["item"]].groups.items():
            if len(values[answer.dataset][column]) <= MOST_GROUPS:
                parts.setdefault((answer.dataset, column, value), []).append(answer)
    tree: Tree = {}
    for dataset, columns in values.items():
        for column, names in sorted(columns.items()):
            tree.setdefault(dataset, {})[column] = (
                {"missing": f"{len(names):,} different values, more than {MOST_GROUPS}"}
                if len(names) > MOST_GROUPS
                else {
                    "values": {
                        name: _group(parts.get((dataset, column, name), []), dataset, meanings)
                        for name in sorted(names)
                    }
                }
            )
    return tree


def _by_column(items: Iterable[Mapping[str, str]]) -> dict[str, dict[str, int]]:
    """Count the items of each value of each column."""
    found: dict[str, dict[str, int]] = {}
    for groups in items:
        for column, value in groups.items():
            counts = found.setdefault(column, {})
            counts[value] = counts.get(value, 0) + 1
    return found


def _group(answers: Iterable[ScoredAnswer], dataset: str, meanings: Meanings) -> Tree:
    return {model: datasets[dataset] for model, datasets in _tree(score_lines(answers, meanings)).items()}


def _tree(lines: Iterable[ScoreLine]) -> Tree:
    tree: Tree = {}
    for line in lines:
        told = {name: value for name, value in line.document().items() if name not in APART}
        place = tree.setdefault(line.model, {}).setdefault(line.dataset, {}).setdefault(line.scorer, {})
        if line.metric:
            place.setdefault("metrics", {})[line.metric] = told
        else:
            place.update(told)
    return tree
