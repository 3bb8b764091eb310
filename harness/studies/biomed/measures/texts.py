"""The document `texts`: BLEU, ROUGE and BERTScore by model, and the numbers of box plots, including BioScore's.

Paper mode has the published normal interval. Strict mode has our two intervals, and leaves missing values out and
counts them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from harness import rows
from harness.rowtypes import Score
from harness.studies.biomed.measures.paper_columns import plain
from harness.studies.biomed.measures.paper_texts import METRICS, estimate
from harness.studies.biomed.measures.run_answers import RunAnswers, read
from harness.studies.biomed.measures.strict_intervals import means_over_rows, means_over_templates
from harness.studies.biomed.terms import NOT_KNOWN, PAPER, VERSION

SCORERS = ("text", "bertscore")
VALUE_OF = {"text": "ROUGEL"}  # the metric that is a scorer's own value
NOTHING = {"missing": "no answer has this metric"}
REACH = 1.5  # interquartile ranges; the farthest value within this distance of the box ends a whisker
ABOUT = {
    "box": "quartiles by linear interpolation; a whisker ends at the farthest value within 1.5 interquartile ranges",
    "abstained": "share of the answers that say they do not know; they are not in the box of BioScore",
    "text metrics": "they count common words: a wrong number costs them next to nothing",
}
Values = dict[str, dict[str, list[tuple[str, float]]]]  # by metric and model: template and value


def texts(found: RunAnswers, scores: Iterable[Score]) -> dict[str, Any]:
    """Return each model's text metrics (BLEU, ROUGE, ...), and box plots of BioScore by grader."""
    values, lacking = _values(found, scores)
    return {
        "mode": found.mode,
        "version": VERSION,
        "about": ABOUT,
        "metrics": {
            metric: {
                model: _metric(found.mode, values[metric].get(model, []), lacking.get((metric, model), 0))
                for model in found.models
            }
            for metric in METRICS
            if metric in values
        },
        "bioscore": {
            grader: {model: _graded(found.scores.get((grader, model), [])) for model in found.models}
            for grader in found.graders
        },
    }


def box(values: Sequence[float]) -> dict[str, Any]:
    """Return the quartiles, whiskers and mean of one box plot; a missing value if there are no values."""
    if not values:
        return {"missing": "no value"}
    low, middle, high = (float(each) for each in np.quantile(np.asarray(values, float), (0.25, 0.5, 0.75)))
    reach = REACH * (high - low)
    inside = [value for value in values if low - reach <= value <= high + reach]
    return {
        "n": len(values),
        "q1": low,
        "median": middle,
        "q3": high,
        "low": min(inside),
        "high": max(inside),
        "n_outside": len(values) - len(inside),
    }


def _values(found: RunAnswers, scores: Iterable[Score]) -> tuple[Values, dict[tuple[str, str], int]]:
    values: Values = {}
    lacking: dict[tuple[str, str], int] = {}
    for row in scores:
        detail, model = row["detail"], row["model"]
        if row["scorer"] not in SCORERS or row["item"] not in found.items or model not in found.models:
            continue
        if detail.get("mode", found.mode) != found.mode:
            continue
        for metric, value in _numbers(row):
            if value is None:
                lacking[metric, model] = lacking.get((metric, model), 0) + 1
            else:
                template = found.items[row["item"]].template
                values.setdefault(metric, {}).setdefault(model, []).append((template, value))
    return values, lacking


def _numbers(row: Score) -> Iterator[tuple[str, float | None]]:
    """Yield the metrics of a scorer with their values, None for one without a finite value."""
    given = dict(row["detail"].get("metrics", {}))
    if own := VALUE_OF.get(row["scorer"]):
        given.setdefault(own, row["value"])
    names = [name for name in METRICS if (name == "BERTScore") == (row["scorer"] == "bertscore")]
    for name in names:
        value = given.get(name)
        usable = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        yield name, float(value) if usable else None  # type: ignore[arg-type]


def _metric(mode: str, values: Sequence[tuple[str, float]], lacking: int) -> dict[str, Any]:
    own = [value for _, value in values]
    if not own:
        return {"value": NOTHING, "n": 0, "n_missing": lacking}
    if mode == PAPER:
        value, *ends = estimate(own)
        interval = {"missing": "fewer than two values"} if any(map(math.isnan, ends)) else ends
        told: dict[str, Any] = {"official": {"interval": interval}}
    else:
        value = math.fsum(own) / len(own)
        by_template: dict[str, list[float]] = {}
        for template, each in values:
            by_template.setdefault(template, []).append(each)
        sums = [(len(part), math.fsum(part)) for _, part in sorted(by_template.items())]
        told = {"rows": {"interval": means_over_rows(own)}, "templates": means_over_templates(sums)}
    return {"value": plain(value), **told, "n": len(own), "n_missing": lacking, "box": box(own)}


def _graded(scores: Sequence[float | None]) -> dict[str, Any]:
    abstained = sum(score == NOT_KNOWN for score in scores)
    answered = [score for score in scores if score is not None and score != NOT_KNOWN]
    share = abstained / len(scores) if scores else {"missing": "no answer"}
    return {"n": len(scores), "abstained": share, "box": box(answered)}


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `texts`, each model's text metrics and box plots, from `items`, `gold` and `scores`.

    Raise InputError as `run_answers.read` does.
    """
    found = texts(read(params, inputs), rows.read(inputs["scores"], Score))
    rows.write_one(out / "texts", found)
