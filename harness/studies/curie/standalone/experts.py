"""The standalone analysis `curie.experts`: ratings that somebody brings, beside the scores of a run (OURS).

Independent of where ratings come from and of whether a rater is an expert.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from harness.errors import InputError
from harness.scorers.given import AnalysisInput, Row, Text, ToolOutput, one_of_words, whole_number
from harness.scorers.tool import Tool
from harness.stats import is_number
from harness.studies.curie.measures import experts

MOST = 200_000  # rows of each kind
COUNT = whole_number(0, 10**6)
ITEM = Field(description="the item's id, TASK-RECORD, as in a run's `items`")
MODEL = Field(description="the model that gave the answer")
RATER = Field(description="who rated")


class RatingRow(Row):
    """One rater's rating of one answer."""

    item: Text = ITEM
    model: Text = MODEL
    rater: Text = RATER
    rating: Annotated[str, one_of_words("a rating", *experts.RATINGS)] = Field(
        description="good (few minor errors), okay (many minor ones) or bad (major ones), as LMScore's labels"
    )


class CountedRow(Row):
    """One expert's counts on one answer."""

    item: Text = ITEM
    model: Text = MODEL
    rater: Text = RATER
    predicted: Annotated[int, COUNT] = Field(description="items that the answer lists")
    right: Annotated[int, COUNT] = Field(description="of these, the ones that are right")
    gold: Annotated[int, COUNT] = Field(description="items of the ground truth")
    found: Annotated[int, COUNT] = Field(description="of these, the ones that the answer has")


class ExpertsInput(AnalysisInput):
    """Input: ratings, counts, and the rows of a run's `scores`."""

    ratings: list[RatingRow] = Field(default=[], description="good, okay or bad, by answer and rater")
    counted: list[CountedRow] = Field(default=[], description="right predictions and found items, by answer and rater")
    scores: list[dict[str, Any]] = Field(
        default=[], description="rows of a run's `scores`: item, model, scorer, value, detail.metrics; those without a "
        "number are left out"
    )  # fmt: skip
    seed: int = Field(default=0, ge=0, description="of the resamples of kappa's interval")


class ExpertsOutput(ToolOutput):
    """Output: ratings by task and model, agreement of raters, and each scorer beside both."""

    ratings: dict[str, Any] = Field(
        description="their number, and by task and model the mean over answers: good 1, okay 0.5, bad 0"
    )
    raters: list[dict[str, Any]] = Field(description="every two raters: matrix, accuracy, kappa")
    scorers: dict[str, Any] = Field(
        description="by scorer: Spearman's correlation with an answer's mean rating, and the mean by the "
        "rating that most raters gave, ties left out"
    )
    retrieval: dict[str, Any] = Field(
        description="experts' precision (right of the predictions), recall (found of the gold items) and F1, and each "
        "scorer's less theirs"
    )
    without_value: int = Field(description="scores that have no number and were left out")


def _run(given: ExpertsInput) -> Mapping[str, Any]:
    for name, rows in (("ratings", given.ratings), ("counted", given.counted), ("scores", given.scores)):
        if len(rows) > MOST:
            raise InputError(f"{len(rows):,} rows, which are more than {MOST:,}", where=name, next="give fewer")
    if not (given.ratings or given.counted):
        raise InputError("there is nothing that experts said", where="ratings", next="give `ratings` or `counted`")
    scored = [found for place, row in enumerate(given.scores) if (found := _scored(row, place))]
    told = experts.expert_ratings(
        [experts.Rating(**row.model_dump()) for row in given.ratings],
        [experts.Counted(**row.model_dump()) for row in given.counted],
        scored,
        given.seed,
    )
    return {**told, "without_value": len(given.scores) - len(scored)}


def _scored(row: Mapping[str, Any], place: int) -> experts.Scored | None:
    """Return a score; None for a row without a number. Raises InputError for a row that is no score."""
    lacking = [name for name in ("item", "model", "scorer") if not isinstance(row.get(name), str)]
    if lacking:
        raise InputError(f"a row has no `{lacking[0]}`", where=f"scores[{place}]", next="give rows of a run's `scores`")
    if not is_number(value := row.get("value")):
        return None
    detail = row.get("detail")
    metrics = detail.get("metrics") if isinstance(detail, Mapping) else None
    metrics = metrics if isinstance(metrics, Mapping) else {}
    return experts.Scored(row["item"], row["model"], row["scorer"], float(value), metrics)


ANALYSES: Mapping[str, Tool] = {
    "curie.experts": Tool(
        about="Compares experts' ratings, precision and recall of answers with each other and with scorers (OURS).",
        takes=ExpertsInput,
        gives=ExpertsOutput,
        run=_run,
    ),
}
