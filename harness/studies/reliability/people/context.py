"""The context of both human studies: a run's labels, items, difficulty measures, and the parameters of intervals.

Works on label tables, ids and measures; sees no survey answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.kit.resample import RESAMPLES
from harness.stats import is_number
from harness.studies.reliability.measures.labelled import Labels, read, template_ids
from harness.studies.reliability.measures.table import Table

SCALE = "difficulty"  # the candidate if no raw measure is known: the scale that the items are on


@dataclass(frozen=True)
class SurveyContext:
    """What analyses of the human studies need of a run: labels, templates, item ids, difficulties, seed, resamples."""

    labels: Labels
    templates: Mapping[str, Sequence[Any]]
    items: frozenset[tuple[str, str]]  # benchmark and id of every item of the run's datasets, asked or not
    measures: Mapping[str, Mapping[str, float]]  # raw measure of difficulty -> item -> value
    seed: int
    resamples: int

    def table(self, benchmark: str, item: str, where: str) -> Table | None:
        """Return the label table with a survey row's item; None for an item of the run's datasets without labels.

        Raises InputError, naming `where`, for an item that does not belong to the run.
        """
        table = self.labels.benchmarks.get(benchmark)
        if table is not None and item in table.items:
            return table
        if (benchmark, item) in self.items:
            return None
        raise InputError(
            f"item {item} of {benchmark} is not among the labels",
            where=where,
            next="analyse surveys beside a run over the items they showed",
        )

    def functions(self, table: Table) -> Mapping[str, Mapping[str, float]]:
        """Return candidate measures of difficulty by name, each with its value for a table's items.

        If no raw measure is known, the only candidate is the 0 to 100 scale, under the name SCALE.
        """
        found = {
            name: {item: values[item] for item in table.items if item in values}
            for name, values in self.measures.items()
        }
        return {name: values for name, values in found.items() if values} or {SCALE: scale(table)}


def scale(table: Table) -> dict[str, float]:
    """Return each item's difficulty on the scale 0 to 100, by item id, from a label table."""
    return {name: item.difficulty for name, item in table.items.items()}


def survey_context(params: Mapping[str, Any], inputs: Mapping[str, Path]) -> SurveyContext:
    """Return what analyses of the human studies need, read from a step's inputs and `params`."""
    labels = read(inputs["labels"])
    templates = {name: template_ids(inputs, table) for name, table in labels.benchmarks.items()}
    items: set[tuple[str, str]] = set()
    measures: dict[str, dict[str, float]] = {}
    for name in ("questions", "gold"):
        for row in rows.read(inputs[name]) if name in inputs else ():
            if "task" in row:
                items.add((row["task"], row["id"]))
            for measure, value in {
                **row.get("meta", {}).get("raw_difficulty", {}),
                **row.get("raw_difficulty", {}),
            }.items():
                if is_number(value):
                    measures.setdefault(measure, {})[row["id"]] = value
    again = params.get("seed", 0), params.get("resamples", RESAMPLES)
    return SurveyContext(labels, templates, frozenset(items), measures, *again)
