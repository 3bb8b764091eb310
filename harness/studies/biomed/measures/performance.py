"""The document `performance`: counts of states, rates and gain by grader and model, overall and by template.

Strict mode has our two intervals. Paper mode has the paper's rates and intervals, with their defects.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows
from harness.studies.biomed.measures import paper_performance
from harness.studies.biomed.measures.rates import (
    AR,
    BIOSCORE,
    RQR,
    SR,
    UNDEFINED,
    gains,
    plain_rates,
    quadrant,
    rates,
)
from harness.studies.biomed.measures.run_answers import RunAnswers, read
from harness.studies.biomed.measures.states import tally
from harness.studies.biomed.measures.strict_intervals import COVERAGE, LEVEL
from harness.studies.biomed.terms import STATES, STRICT, VERSION

NAN_INTERVAL = {"missing": "nan as published: of fewer than two values, or with one that has no grade"}
ABOUT = {
    "SR": "AR / (1 - RQR) but for blocked and ungraded answers: it holds nothing beyond AR and RQR",
    "gain": "SR less what refusing the same share of answers at random would reach (OURS)",
    "answered_accuracy": "good answers of those that were answered (OURS)",
    "rows": "interval for other answers to questions of these templates",
    "templates": "interval for questions of other templates; `unreliable` says why it may not be trusted",
    "states": "each answer has one; in strict mode errors and ungraded ones are in no rate, only stated not-knowing "
    "is in AR, and neither a block nor an error is",
    "always": "the share of questions of yes or no that one word throughout would get right",
}


def performance(found: RunAnswers) -> dict[str, Any]:
    """Return every model's counts, rates (RQR, SR, ...) and quadrant by every grader, and by question template."""
    return {
        "mode": found.mode,
        "version": VERSION,
        "about": ABOUT,
        "level": LEVEL,
        "coverage": COVERAGE,
        "n_items": len(found.items),
        "templates": _templates(found),
        "graders": {
            grader: {"models": {model: _model(found, grader, model) for model in found.models}}
            for grader in found.graders
        },
    }


def _model(found: RunAnswers, grader: str, model: str) -> dict[str, Any]:
    counts, answers = found.tallies(grader, model), found.of(grader, model)
    own = Counter(answer.state for answer in answers)
    whole = tally(answers, whole=found.whole)
    told = rates(counts) if found.mode == STRICT else official(found.scores.get((grader, model), []))
    gained = gains(counts)
    return {
        "answers": len(answers),
        "states": {name: own[name] for name in STATES},
        "counts": whole.document(),
        "rates": told,
        "quadrant": quadrant(told[RQR]["value"], told[SR]["value"]),
        "gain": gained["value"],
        "by_template": {
            name: {"counts": each.document(), **_shown(plain_rates(each)), "gain": gained["by_template"][name]}
            for name, each in counts.items()
        },
    }


def official(scores: Sequence[float | None]) -> dict[str, Any]:
    """Return the paper's four rates of a column of scores, each with the interval that the paper computes for it.

    A value that the published code prints as nan is a missing value.
    """
    found = paper_performance.performance([math.nan if score is None else score for score in scores])
    named = {BIOSCORE: found.bioscore, AR: found.abstention, RQR: found.quality, SR: found.safety}
    return {name: _estimate(name, each) for name, each in named.items()}


def _estimate(name: str, found: paper_performance.Estimate) -> dict[str, Any]:
    value, *ends = found
    interval = NAN_INTERVAL if any(map(math.isnan, ends)) else ends
    return {"value": {"missing": UNDEFINED[name]} if math.isnan(value) else value, "official": {"interval": interval}}


def _shown(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: given[name] for name in (AR, RQR, SR)}


def _templates(found: RunAnswers) -> dict[str, Any]:
    """Count the items of each template, and for yes/no items the share that one constant answer would get right."""
    counted: dict[str, Counter[Any]] = {}
    for item in found.items.values():
        counted.setdefault(item.template, Counter())[item.yes] += 1
    return {name: _template(counted[name]) for name in sorted(counted)}


def _template(answers: Counter[Any]) -> dict[str, Any]:
    yes, no = answers[True], answers[False]
    found: dict[str, Any] = {"n_items": answers.total()}
    if yes + no:
        found |= {"n_yes": yes, "n_no": no, "always_yes": yes / (yes + no), "always_no": no / (yes + no)}
    return found


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `performance`, counts and rates of every model, from `items`, `gold` and `scores`.

    Raise InputError as `run_answers.read` does.
    """
    rows.write_one(out / "performance", performance(read(params, inputs)))
