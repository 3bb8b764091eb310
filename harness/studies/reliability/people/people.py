"""The two human studies over the labels of a run (reliability 6.8): of survey rows if there are any, else simulated.

A result says `simulated` for itself. It must never mix answers of people with simulated ones, nor quote an output.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.stats import is_number
from harness.studies.reliability.measures.labelled import Labels, read, template_ids
from harness.studies.reliability.measures.resample import LEVEL
from harness.studies.reliability.measures.statistic import RESAMPLES
from harness.studies.reliability.measures.table import Table
from harness.studies.reliability.people import expectations, ratings, simulate, supervision, survey
from harness.studies.reliability.terms import UNSCORED

NO_ROWS = {"missing": "no survey rows"}
SCALE = "difficulty"  # the candidate where no raw measure is at hand: the scale the items are on already
S2_FIELDS = ("participant_id", "benchmark", "instance_id", "model", "template", "verdict")


@dataclass(frozen=True)
class Setting:
    """What both studies are about, and how their intervals are drawn."""

    labels: Labels
    templates: Mapping[str, Sequence[Any]]
    measures: Mapping[str, Mapping[str, float]]  # raw measure of difficulty -> item -> value
    seed: int
    resamples: int

    def table(self, row: Mapping[str, Any], where: str) -> Table:
        """Find the table that a survey row is about."""
        table = self.labels.benchmarks.get(row["benchmark"])
        if table is None or row["instance_id"] not in table.items:
            raise InputError(
                f"item {row['instance_id']} of {row['benchmark']} is not among the labels",
                where=where,
                next="analyse surveys beside a run over the items they showed",
            )
        return table

    def functions(self, table: Table) -> Mapping[str, Mapping[str, float]]:
        """Give the candidate difficulty functions of a table: raw measures, or where none is at hand the scale."""
        found = {
            name: {item: values[item] for item in table.items if item in values}
            for name, values in self.measures.items()
        }
        return {name: values for name, values in found.items() if values} or {SCALE: _scale(table)}


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write what S1 and S2 say; where neither has survey rows, both are asked of the simulated participants."""
    labels = read(inputs["labels"])
    setting = Setting(
        labels,
        {name: template_ids(inputs, table) for name, table in labels.benchmarks.items()},
        _measures(inputs),
        params.get("seed", 0),
        params.get("resamples", RESAMPLES),
    )
    simulated = not {"s1", "s2"} & set(inputs)
    if simulated:
        first, second = _asked(setting, simulate.read(inputs["items"]), params.get("models", {}))
    else:
        first, second = (list(rows.read(inputs[name])) if name in inputs else [] for name in ("s1", "s2"))
    document = {
        "simulated": simulated,
        "ci": {"level": str(LEVEL), "resamples": setting.resamples, "of": "participants"},
        "s1": s1(first, setting, simulated),
        "s2": s2(second, setting),
    }
    rows.write_one(out / "people", document)


def _asked(
    setting: Setting, people: Sequence[simulate.Person], facts: Mapping[str, Mapping[str, Any]]
) -> tuple[list[rows.Row], list[rows.Row]]:
    """Ask the simulated participants; outputs of stand-ins are shown only where there are no others."""
    tables = setting.labels.benchmarks
    pool = survey.pools(tables, setting.seed)
    models = sorted({model for table in tables.values() for model in table.labels})
    real = [model for model in models if not facts.get(model, {}).get("stand_in")]
    first = survey.s1(people, tables, pool, setting.seed)
    second = survey.s2(people, tables, pool, real or models, setting.templates, setting.seed)
    return list(first), list(second)


def _measures(inputs: Mapping[str, Path]) -> dict[str, dict[str, float]]:
    """Read the raw measures of difficulty from the benchmarks' items and gold, where they are at hand."""
    found: dict[str, dict[str, float]] = {}
    for name in ("questions", "gold"):
        for row in rows.read(inputs[name]) if name in inputs else ():
            measures = {**row.get("meta", {}).get("raw_difficulty", {}), **row.get("raw_difficulty", {})}
            for measure, value in measures.items():
                if is_number(value):
                    found.setdefault(measure, {})[row["id"]] = value
    return found


def s1(given: Iterable[Mapping[str, Any]], setting: Setting, simulated: bool) -> dict[str, Any]:
    """Analyse S1 benchmark by benchmark, and subset by subset where a benchmark has several."""
    rated = ratings.ratings(given)
    if not rated:
        return dict(NO_ROWS)
    for number, each in enumerate(rated, 1):
        setting.table(each.row(), f"s1 row {number}")
    found: dict[str, Any] = {
        "participants": len({each.person for each in rated}), "ratings": len(rated), "benchmarks": {}, "parts": {},
    }  # fmt: skip
    for place, name, table in setting.labels.groups():
        inside = [each for each in rated if each.benchmark == table.benchmark and each.item in table.items]
        told = expectations.summary(inside, setting.functions(table), _scale(table), setting.seed, setting.resamples)
        found[place][name] = _without_block(told, simulated)
    return found


def _scale(table: Table) -> dict[str, float]:
    """Give the difficulty of each item on the scale the analyses use."""
    return {name: item.difficulty for name, item in table.items.items()}


def _without_block(told: dict[str, Any], simulated: bool) -> dict[str, Any]:
    """Take away a calibration block that no manifest may use, and say why."""
    fitted = told.get("calibration", {})
    why = "simulated respondents calibrate nothing" if simulated else "fitted on the scale itself, not on a raw measure"
    if "block" in fitted and (simulated or fitted["function"] == SCALE):
        return {**told, "calibration": {**fitted, "block": {"missing": why}}}
    return told


def s2(given: Iterable[Mapping[str, Any]], setting: Setting) -> dict[str, Any]:
    """Analyse S2: matrices and errors over all, by benchmark, subset and model, and the curves of Fig. 3."""
    seen = verdicts(given, setting)
    if not seen:
        return dict(NO_ROWS)
    again = setting.seed, setting.resamples
    found: dict[str, Any] = {"all": supervision.summary([each for _, each in seen], *again)}
    found |= {"benchmarks": {}, "parts": {}, "curve": {}}
    for place, name, table in setting.labels.groups():
        inside = [each for bench, each in seen if bench == table.benchmark and each.item in table.items]
        found[place][name] = supervision.summary(inside, *again)
        found["curve"][name] = supervision.curve(inside, supervision.BINS, *again)
    found["models"] = {
        model: supervision.summary([each for _, each in seen if each.model == model], *again)
        for model in sorted({each.model for _, each in seen})
    }
    return found


def verdicts(given: Iterable[Mapping[str, Any]], setting: Setting) -> list[tuple[str, supervision.Verdict]]:
    """Check rows of S2 and look up what each output was; nobody judges an output twice."""
    found: dict[tuple[Any, ...], tuple[str, supervision.Verdict]] = {}
    for number, row in enumerate(given, 1):
        where = f"s2 row {number}"
        for name in S2_FIELDS:
            value = row.get(name) if isinstance(row, Mapping) else None
            if not isinstance(value, str) and (name != "template" or not isinstance(value, int)):
                raise InputError(f"`{name}` is missing or not text", where=where, next=f"give {', '.join(S2_FIELDS)}")
        if row["verdict"] not in supervision.HUMAN:
            raise InputError("`verdict` is none of c, a, i, u", where=where)
        table, person, item, model = setting.table(row, where), *(row[S2_FIELDS[at]] for at in (0, 2, 3))
        outcome = _outcome(table, row, setting.templates[table.benchmark], where)
        key = person, table.benchmark, item, model, str(row["template"])
        if key in found:
            raise InputError("a participant judges the same output twice", where=where, next="keep one of the two rows")
        judged = supervision.Verdict(person, item, model, outcome, row["verdict"], table.items[item].difficulty)
        found[key] = table.benchmark, judged
    return list(found.values())


def _outcome(table: Table, row: Mapping[str, Any], templates: Sequence[Any], where: str) -> str:
    """Give the label of the output that was shown."""
    names = [str(each) for each in templates]
    text, wording = table.labels.get(row["model"], {}).get(row["instance_id"], ""), str(row["template"])
    label = text[names.index(wording)] if text and wording in names else UNSCORED
    if label == UNSCORED:
        raise InputError("the output that was shown has no label", where=where, next="leave the row out, or score it")
    return label
