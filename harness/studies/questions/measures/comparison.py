"""The comparison of a run's two models: paired differences of each scorer's values on each dataset.

Works on scores and their meanings; independent of how scores are made, and of questions and answers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows, stats
from harness.kit.paired import Pair, PairedColumn, PairedDifference, paired_differences
from harness.kit.score_lines import number
from harness.kit.sides import is_right
from harness.studies.questions.meaning import of_rows
from harness.studies.questions.measures.scored_items import ScoredItems

COMPARISON = "comparison"  # the document
Column = tuple[str, str]  # dataset and scorer
Prompt = tuple[str, int]  # item and wording
Values = dict[Column, dict[Prompt, float]]


def write(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the paired comparison of the two models that `params` names, with the kind of each scorer."""
    rows.write_one(out / COMPARISON, compared(ScoredItems.read(inputs), params["models"], params["scorers"]))


def compared(found: ScoredItems, models: Sequence[str], scorers: Mapping[str, str]) -> dict[str, Any]:
    """Compare two models by dataset and scorer, on the prompts for which both have a score.

    A value is the mean over the samples of a prompt. `p_holm` is corrected over the lines.
    """
    meanings = of_rows(scorers)
    left, right = (_values(found, model) for model in models)
    places, pairs = [], []
    for place in sorted(left.keys() & right.keys()):
        both = sorted(left[place].keys() & right[place].keys())
        if both:
            places.append(place)
            pairs.append({prompt: (left[place][prompt], right[place][prompt]) for prompt in both})
    columns = [_column(found, dataset, both) for (dataset, _), both in zip(places, pairs, strict=True)]
    differences = paired_differences(columns)
    tested = [index for index, one in enumerate(differences) if one.p is not None]
    holm = dict(zip(tested, stats.holm([p for one in differences if (p := one.p) is not None]), strict=True))
    lines = []
    for index, (dataset, scorer) in enumerate(places):
        meaning = meanings.get(scorer)
        sides = [(is_right(one, meaning), is_right(other, meaning)) for one, other in pairs[index].values()]
        changed = {"lost": sides.count((True, False)), "won": sides.count((False, True))}
        line = {"dataset": dataset, "scorer": scorer, **_line(differences[index]), **changed}
        lines.append({**line, "p_holm": holm[index]} if index in holm else line)
    return {"models": list(models), "lines": lines}


def _values(found: ScoredItems, model: str) -> Values:
    """Return the values of a model's answers, by dataset and scorer, then by item and wording."""
    said: dict[Column, dict[Prompt, list[float]]] = {}
    for answer in found.answers:
        row, value = answer.row, number(answer.row["value"])
        if row["model"] == model and value is not None:
            place = said.setdefault((answer.dataset, row["scorer"]), {})
            place.setdefault((row["item"], row["template"]), []).append(value)
    return {
        place: {prompt: math.fsum(values) / len(values) for prompt, values in prompts.items()}
        for place, prompts in said.items()
    }


def _column(found: ScoredItems, dataset: str, both: Mapping[Prompt, Pair]) -> PairedColumn:
    units: dict[str, list[Pair]] = {}
    for (item, _), pair in both.items():
        units.setdefault(found.items[item].cluster or item, []).append(pair)
    return PairedColumn(dataset, units)


def _line(one: PairedDifference) -> dict[str, Any]:
    found: dict[str, Any] = {
        "n": one.n, "left": one.left, "right": one.right, "value": one.difference, **one.interval.document(),
    }  # fmt: skip
    return {**found, "p": one.p, "test": one.test} if one.p is not None else found
