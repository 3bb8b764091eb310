"""Statements of the paper, compared with its own printed numbers, which may contradict them (OURS).

This study only lists the statements; it does not claim them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from harness.studies.biomed.measures.costs import GRADER, REQUESTS, published_costs
from harness.studies.biomed.measures.published_numbers import (
    ABSTRACT,
    COSTS,
    JOURNAL,
    RATES,
    STATISTICS,
    SUPPLEMENT,
    PublishedNumbers,
)

NOT_PRINTED = {"missing": "a number that it needs was not printed"}
# Statements in words or in a figure, which are not in the table of printed numbers.
IN_WORDS = (
    ("rqr-denominator", "RQR is said to be over answered responses; SR's seven values need it to be over all"),
    ("order-of-boxes", "the caption of the box plots lets abstention fall; the code lets it rise"),
    ("heat-map-of-safety", "the heat map that is called Safety Rate is drawn from a share of abstentions"),
    (
        "small-templates",
        "10,800 requests are 270 in every template, which T20 (chromosomes) and T39 (types) cannot have",
    ),
    ("rouge-1", "the text names ROUGE-1; the tables have ROUGE-2"),
)


def claims(table: PublishedNumbers) -> list[dict[str, Any]]:
    """List the paper's statements, the printed numbers about each, and whether these contradict it.

    If a number was not printed, `contradicted` is a missing value.
    """
    in_words = [{"id": name, "says": says, "found": {}, "contradicted": NOT_PRINTED} for name, says in IN_WORDS]
    return [*_numbers(table), *in_words]


def _numbers(table: PublishedNumbers) -> Iterator[dict[str, Any]]:
    for model in table.models(ABSTRACT):
        for metric in ("RQR", "SR"):
            yield _intervals(table, model, metric)
    for metric, name in (("BioScore", "mean_BioScore"), ("AR", "AR")):
        yield _range(table, metric, name)
    for metric in ("RQR", "SR"):
        says = f"{metric} of claude-3.5-sonnet in the journal's abstract of 2026, against Table S11"
        pair = (table.get(JOURNAL, "claude-3.5-sonnet", metric), table.get(RATES, "claude-3.5-sonnet", metric))
        yield _stated(f"journal-{metric}", says, ("journal", "table"), pair)
    told = published_costs(table).get(GRADER)
    yield {
        "id": "cost-of-grading",
        "says": "the printed cost of grading",
        "found": told or {},
        "contradicted": NOT_PRINTED if told is None else told["difference"] != 0,
    }
    system = table.get(COSTS, "gpt-4o", "system_prompt_tokens")
    per_request = None if system is None else system / REQUESTS
    yield {
        "id": "system-tokens",
        "says": "the system prompt is sent with every request",
        "found": {} if per_request is None else {"tokens": float(system or 0), "requests": REQUESTS},
        "contradicted": NOT_PRINTED if per_request is None else per_request < 1,
    }
    pair = (
        table.get(STATISTICS, "dataset", "total_question_tokens_at_least"),
        table.get(COSTS, "CARDBioBench", "question_tokens"),
    )
    yield _of_all(pair, table.get(STATISTICS, "dataset", "augmented_questions_at_least"))


def _intervals(table: PublishedNumbers, model: str, metric: str) -> dict[str, Any]:
    found = [table.numbers.get((name, model, metric)) for name in (ABSTRACT, RATES)]
    ends = [None if each is None or each.interval is None else each.interval for each in found]
    says = f"the interval of {model}'s {metric} in the abstract is that of Table S11"
    shown = {name: [float(end) for end in each] for name, each in zip(("abstract", "table"), ends, strict=True) if each}
    unlike: Any = NOT_PRINTED if None in ends else ends[0] != ends[1]
    return {"id": f"abstract-{model}-{metric}", "says": says, "found": shown, "contradicted": unlike}


def _range(table: PublishedNumbers, metric: str, name: str) -> dict[str, Any]:
    stated = [table.get(SUPPLEMENT, "all models", f"{name}_{end}") for end in ("lowest", "highest")]
    values = [value for model in table.models(RATES) if (value := table.get(RATES, model, metric)) is not None]
    lacking = None in stated or not values
    said = [each for each in stated if each is not None]
    shown = {} if lacking else {"stated": _floats(said), "table": _floats([min(values), max(values)])}
    against: Any = NOT_PRINTED if lacking else said != [min(values), max(values)]
    return {
        "id": f"range-{metric}",
        "says": f"the range of {metric} over models in the text is the table's",
        "found": shown,
        "contradicted": against,
    }


def _stated(
    name: str, says: str, names: tuple[str, str], pair: tuple[Decimal | None, Decimal | None]
) -> dict[str, Any]:
    shown = {each: float(value) for each, value in zip(names, pair, strict=True) if value is not None}
    against: Any = NOT_PRINTED if None in pair else pair[0] != pair[1]
    return {"id": name, "says": says, "found": shown, "contradicted": against}


def _of_all(pair: tuple[Decimal | None, Decimal | None], questions: Decimal | None) -> dict[str, Any]:
    total, tested = pair
    lacking = total is None or tested is None or questions is None
    found = (
        {}
        if lacking
        else {"total": float(total or 0), "tested": float(tested or 0), "questions": float(questions or 0)}
    )
    against: Any = NOT_PRINTED if lacking else (tested or 0) >= (total or 0)  # the tested part alone has as many tokens
    return {
        "id": "statistics-of-all",
        "says": "the token statistics describe all augmented questions",
        "found": found,
        "contradicted": against,
    }


def _floats(values: Sequence[Decimal]) -> list[float]:
    return [float(value) for value in values]
