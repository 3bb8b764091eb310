"""The document `categories`: heat maps of the rates by biological and reasoning category, and the order of models.

A question counts once in every label that it carries. Paper mode computes the published heat maps, whose `safety` is a
share of abstentions. Strict mode computes SR by its formula and shows every category.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows
from harness.studies.biomed.measures import paper_heatmaps as published
from harness.studies.biomed.measures.paper_order import model_order
from harness.studies.biomed.measures.rates import AR, BIOSCORE, PARTS, RQR, SR, plain_rates
from harness.studies.biomed.measures.run_answers import RunAnswers, read
from harness.studies.biomed.measures.states import StateTally
from harness.studies.biomed.terms import BLOCKED, KINDS, PAPER, VERSION

SR_OFFICIAL = "SR_official"  # the published heat map of safety: a share of abstentions
MAPS: Mapping[str, tuple[str, str]] = {  # of paper mode: the published calculation, and which safety
    BIOSCORE: (published.MEAN, published.OFFICIAL),
    AR: (published.ABSTENTION, published.OFFICIAL),
    RQR: (published.QUALITY, published.OFFICIAL),
    SR_OFFICIAL: (published.SAFETY, published.OFFICIAL),
    SR: (published.SAFETY, published.FORMULA),
}
ROWS: Mapping[str, Callable[[StateTally], int]] = {  # of strict mode: how many rows a cell rests on
    **{name: lambda own, part=part: part(own)[1] for name, part in PARTS.items()},  # type: ignore[misc]
    BIOSCORE: lambda own: own.halves.total(),
}
TOO_FEW = {"missing": f"NA: fewer than {published.FEWEST} rows"}
ABOUT = {
    SR: "K / (K + bad), which the published heat maps are not (OURS)",
    SR_OFFICIAL: "as published: a share of abstentions, not SR",
    "published": "categories too small for the first model of the order are left out for all",
    "strict": "every category; a cell on fewer than 5 rows is NA",
}


def categories(found: RunAnswers) -> dict[str, Any]:
    """Return heat maps of scores by question category and model, by grader, and the order of models in them."""
    drawn = _published if found.mode == PAPER else _strict
    told = {}
    for grader in found.graders:
        order = models_in_order(found, grader)
        told[grader] = {
            "order": order,
            "kinds": {
                kind: {**drawn(found, grader, order, kind), BLOCKED: _blocked(found, grader, order, kind)}
                for kind in KINDS
            },
        }
    return {"mode": found.mode, "version": VERSION, "about": ABOUT, "graders": told}


def models_in_order(found: RunAnswers, grader: str) -> list[str]:
    """Order models by their scores, as the published figures do; models without an answered row come last (OURS)."""
    columns = {
        model: [math.nan if score is None else score for score in found.scores.get((grader, model), ())]
        for model in found.models
    }
    with_median = [model for model, column in columns.items() if any(score >= 0 for score in column)]
    return [*model_order(with_median, columns), *(model for model in found.models if model not in with_median)]


def _published(found: RunAnswers, grader: str, order: Sequence[str], kind: str) -> dict[str, Any]:
    places = {run: place for place, run in enumerate(_runs(found, grader))}
    cells = published.exploded([found.items[item].labels[kind] for item, _ in places])
    columns = {}
    for model in order:
        if answers := found.of(grader, model):
            column = [math.nan] * len(places)
            for answer, score in zip(answers, found.scores[grader, model], strict=True):
                column[places[answer.item, answer.run]] = math.nan if score is None else score
            columns[model] = column
    told = {}
    for name, (calculation, safety) in MAPS.items():
        drawn = published.heatmap(columns, cells, order, calculation, safety=safety)
        values = [[TOO_FEW if math.isnan(value) else value for value in row] for row in drawn.values]
        told[name] = {"categories": drawn.index, "values": values}
    return told


def _runs(found: RunAnswers, grader: str) -> list[tuple[str, tuple[int, int]]]:
    """List the items and runs that were asked, in the order of items; a model may lack some of them."""
    met = {(answer.item, answer.run) for model in found.models for answer in found.of(grader, model)}
    order = {item: place for place, item in enumerate(found.items)}
    return sorted(met, key=lambda run: (order[run[0]], run[1]))


def _strict(found: RunAnswers, grader: str, order: Sequence[str], kind: str) -> dict[str, Any]:
    names = sorted({label for item in found.items.values() for label in item.labels[kind]})
    tallies = {model: _tallies(found, grader, model, kind) for model in order}
    cells = [[tallies[model].get(name, StateTally()) for model in order] for name in names]
    told = {}
    for rate in (BIOSCORE, AR, RQR, SR):
        values = [
            [plain_rates(own)[rate] if ROWS[rate](own) >= published.FEWEST else TOO_FEW for own in row] for row in cells
        ]
        n = [[ROWS[rate](own) for own in row] for row in cells]
        told[rate] = {"categories": names, "values": values, "n": n}
    return told


def _blocked(found: RunAnswers, grader: str, order: Sequence[str], kind: str) -> dict[str, Any]:
    """Return the share of blocked answers among all answers to each category's questions, in either mode."""
    names = sorted({label for item in found.items.values() for label in item.labels[kind]})
    met: dict[tuple[str, str], list[bool]] = {}
    for model in order:
        for answer in found.of(grader, model):
            for label in found.items[answer.item].labels[kind]:
                met.setdefault((label, model), []).append(answer.state == BLOCKED)
    cells = [[met.get((name, model), []) for model in order] for name in names]
    values = [[sum(cell) / len(cell) if cell else {"missing": "no answer"} for cell in row] for row in cells]
    return {"categories": names, "values": values, "n": [[len(cell) for cell in row] for row in cells]}


def _tallies(found: RunAnswers, grader: str, model: str, kind: str) -> dict[str, StateTally]:
    counted: dict[str, StateTally] = {}
    for answer in found.of(grader, model):
        for label in found.items[answer.item].labels[kind]:
            counted.setdefault(label, StateTally()).add(answer)
    return counted


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `categories`, heat maps of scores by question category, from `items`, `gold` and `scores`.

    Raise InputError as `run_answers.read` does.
    """
    rows.write_one(out / "categories", categories(read(params, inputs)))
