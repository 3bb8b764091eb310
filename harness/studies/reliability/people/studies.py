"""The analysis step of the human studies S1 and S2, over survey rows or simulated ones.

Rule: docs/reliability-rules.md#people. The field `simulated` of its document `people` says which of the two it is based
on. Never mixes answers of people with simulated ones, and never quotes an output.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows
from harness.kit.resample import LEVEL
from harness.studies.reliability.people import expectations, interviews, ratings, simulate, supervision
from harness.studies.reliability.people.context import SCALE, SurveyContext, scale, survey_context
from harness.studies.reliability.people.verdicts import verdicts
from harness.studies.reliability.rowtypes import Expected, VerdictRow
from harness.studies.reliability.terms import is_stand_in

NO_ROWS = {"missing": "no survey rows"}


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `people`: results of the human studies S1 (expected failures) and S2 (verdicts on outputs).

    If neither input is given, both studies are simulated with the participants of the input `items`.
    """
    about = survey_context(params, inputs)
    simulated = not {"s1", "s2"} & set(inputs)
    first: Sequence[Any]
    second: Sequence[Any]
    if simulated:
        first, second = _asked(about, simulate.read(inputs["items"]), params.get("models", {}))
    else:
        first, second = (list(rows.read(inputs[name])) if name in inputs else [] for name in ("s1", "s2"))
    document = {
        "simulated": simulated,
        "ci": {"level": str(LEVEL), "resamples": about.resamples, "of": "participants"},
        "s1": s1(first, about, simulated),
        "s2": s2(second, about),
    }
    rows.write_one(out / "people", document)


def _asked(
    about: SurveyContext, people: Sequence[simulate.SimulatedPerson], facts: Mapping[str, Mapping[str, Any]]
) -> tuple[list[Expected], list[VerdictRow]]:
    """Simulate the survey rows of S1 and S2; outputs of stand-ins are judged only if no other model has labels."""
    tables = about.labels.benchmarks
    pool = interviews.pools(tables, about.seed)
    models = sorted({model for table in tables.values() for model in table.labels})
    real = [model for model in models if not is_stand_in(facts.get(model, {}))]
    first = interviews.s1(people, tables, pool, about.seed)
    second = interviews.s2(people, tables, pool, real or models, about.templates, about.seed)
    return list(first), list(second)


def s1(given: Iterable[Any], about: SurveyContext, simulated: bool) -> dict[str, Any]:
    """Analyse survey rows of study S1 (expected failures) by benchmark, and by subset if there are several.

    Rows on items that the run left out are counted, not analysed; without any other row the result is `missing`. If
    `simulated` is true, the result has no calibration block.
    """
    everyone = ratings.ratings(given)
    rated = [
        each
        for number, each in enumerate(everyone, 1)
        if about.table(each.benchmark, each.item, f"s1 row {number}") is not None
    ]
    left_out = _not_asked(len(everyone) - len(rated))
    if not rated:
        return {**NO_ROWS, **left_out}
    sizes = {"participants": len({each.person for each in rated}), "ratings": len(rated)}
    found: dict[str, Any] = {**sizes, **left_out, "benchmarks": {}, "parts": {}}
    for place, name, table in about.labels.groups():
        inside = [each for each in rated if each.benchmark == table.benchmark and each.item in table.items]
        result = expectations.summary(inside, about.functions(table), scale(table), about.seed, about.resamples)
        found[place][name] = _without_block(result, simulated)
    return found


def _not_asked(count: int) -> dict[str, int]:
    """Return the count of survey rows left out, as `not_asked`: rows on items that no model of this run was asked."""
    return {"not_asked": count} if count else {}


def _without_block(result: dict[str, Any], simulated: bool) -> dict[str, Any]:
    """Replace a calibration block that no manifest may use by the reason: simulated, or fitted on the scale."""
    fitted = result.get("calibration", {})
    why = "simulated respondents calibrate nothing" if simulated else "fitted on the scale itself, not on a raw measure"
    if "block" in fitted and (simulated or fitted["function"] == SCALE):
        return {**result, "calibration": {**fitted, "block": {"missing": why}}}
    return result


def s2(given: Sequence[Any], about: SurveyContext) -> dict[str, Any]:
    """Analyse survey rows of study S2 (verdicts on outputs): confusion matrices and error shares, curves of Fig. 3.

    Rows on items that the run left out are counted, not analysed; without any other row the result is `missing`.
    """
    seen = verdicts(given, about)
    left_out = _not_asked(len(given) - len(seen))
    if not seen:
        return {**NO_ROWS, **left_out}
    again = about.seed, about.resamples
    found: dict[str, Any] = {"all": supervision.summary(seen, *again), **left_out}
    found |= {"benchmarks": {}, "parts": {}, "curve": {}}
    for place, name, table in about.labels.groups():
        inside = [each for each in seen if each.benchmark == table.benchmark and each.item in table.items]
        found[place][name] = supervision.summary(inside, *again)
        found["curve"][name] = supervision.curve(inside, *again)
    found["models"] = {
        model: supervision.summary([each for each in seen if each.model == model], *again)
        for model in sorted({each.model for each in seen})
    }
    return found
