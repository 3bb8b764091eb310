"""The standalone analyses of strict mode (OURS): `biomed.states`, `biomed.comparisons`, and strict performance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from harness.errors import InputError
from harness.scorers.given import Texts, ToolOutput, one_of_words, whole_number
from harness.scorers.tool import Tool
from harness.studies.biomed.measures import comparisons, performance
from harness.studies.biomed.measures.rates import ACCURACY, AR, BIOSCORE, RQR, SR
from harness.studies.biomed.measures.states import tally
from harness.studies.biomed.standalone.columns import Parametrised, Rows
from harness.studies.biomed.standalone.graded_rows import GIVEN, LONG, counted, graded_rows
from harness.studies.biomed.terms import STRICT

PRINTED = {  # the titles of the published table, and one further title
    "BioScore": BIOSCORE,
    "AR": AR,
    "Response Quality Rate": RQR,
    "Safety Rate": SR,
    "Answered accuracy": ACCURACY,
}
NONE = "—"
MOST_RESAMPLES = 100_000
LAST_SEED = 2**32 - 2  # the generator takes 32 bits, and sign flips use the next seed


class StrictRows(Parametrised):
    """Input: graded rows."""

    rows: Rows = Field(description=LONG)
    models: Texts = Field(default_factory=list, description="the models in their order; else all that have a row")
    mode: Annotated[str, one_of_words("the mode of this analysis", STRICT)] = Field(
        default=STRICT, description="strict (OURS); the paper has no such numbers"
    )


class StrictPairs(StrictRows):
    """Input: graded rows of several models, and how they are compared."""

    seed: Annotated[int, whole_number(0, LAST_SEED)] = Field(
        default=0, description="of the resamples; signs take the next"
    )
    resamples: Annotated[int, whole_number(1, MOST_RESAMPLES)] = Field(
        default=comparisons.RESAMPLES, description=f"of templates; {comparisons.RESAMPLES}"
    )


class AnswerStates(ToolOutput):
    """Output: the state of each row, and the counts of states by model."""

    states: list[dict[str, Any]] = Field(description="in the rows' order: uuid, template_uuid, model, state, grade")
    counts: dict[str, dict[str, int]] = Field(
        description="by model: n (K + good + bad + blocked), K, good, bad, and the rows in each state"
    )


class ModelPairs(ToolOutput):
    """Output: every two models on the answers that can be counted for both."""

    pairs: list[dict[str, Any]] = Field(
        description="a, b, n, n_templates and, by quantity, the difference a - b, its interval, p and p_holm"
    )
    about: dict[str, str] = Field(description="what each number means")
    seed: int = Field(description="of the resamples")
    resamples: int = Field(description="how many there were")


def strict_performance(rows: Sequence[Mapping[str, Any]], models: Sequence[str]) -> dict[str, Any]:
    """Return the table of strict-mode rates from graded rows: the printed cells, and all numbers by model.

    Raise InputError for rows that cannot be counted, as `graded_rows` does.
    """
    found = performance.performance(counted(graded_rows(rows), models))
    told = found["graders"][GIVEN]["models"]
    shown = {name: found[name] for name in ("about", "level", "coverage")}
    return {"table": [_printed(name, each["rates"]) for name, each in told.items()], "models": told, **shown}


def states_of(given: StrictRows) -> dict[str, Any]:
    """Return each graded row's state (good, bad, abstained, ...) in strict mode, and the counts of states by model.

    Raise InputError as `graded_rows` and `counted` do.
    """
    found = [each for each in graded_rows(given.rows) if not given.models or each.model in given.models]
    run = counted(found, given.models)
    names = ("uuid", "template_uuid", "model", "state", "grade")
    told = [dict(zip(names, each[: len(names)], strict=True)) for each in found]
    return {"states": told, "counts": {model: tally(run.of(GIVEN, model)).document() for model in run.models}}


def compared(given: StrictPairs) -> dict[str, Any]:
    """Compare every two models on graded rows; raise InputError for fewer than two, and as `graded_rows` does."""
    run = counted(graded_rows(given.rows), given.models)
    if len(run.models) < 2:
        advice = "give rows of two models, each with its `model`"
        raise InputError("fewer than two models to compare", where="rows", next=advice)
    found = comparisons.comparisons(run, given.seed, given.resamples)
    told = {name: found[name] for name in ("about", "seed", "resamples")}
    return {"pairs": found["graders"][GIVEN]["pairs"], **told}


def _printed(model: str, rates: Mapping[str, Any]) -> dict[str, str]:
    row = {"Model": model}
    for title, name in PRINTED.items():
        value = rates[name]["value"]
        ends = [f"{kind} {_range(rates[name][kind]['interval'])}" for kind in ("rows", "templates")]
        row[title] = NONE if isinstance(value, Mapping) else f"{value:.2f}; {'; '.join(ends)}"
    return row


def _range(interval: Any) -> str:
    return NONE if isinstance(interval, Mapping) else f"({interval[0]:.2f}, {interval[1]:.2f})"


ANALYSES: Mapping[str, Tool] = {
    "biomed.states": Tool(
        about="Names the strict state of each graded answer (OURS): blocked, error, ungraded, abstained or answered.",
        takes=StrictRows,
        gives=AnswerStates,
        run=states_of,
    ),
    "biomed.comparisons": Tool(
        about="Compares every two models on the same answers, resampled by template, with sign flips (OURS).",
        takes=StrictPairs,
        gives=ModelPairs,
        run=compared,
    ),
}
