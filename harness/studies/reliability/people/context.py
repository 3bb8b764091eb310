"""The context of both human studies: a run's labels, items, difficulty measures, and the parameters of intervals.

It knows label tables, ids and measures; it must never know what anybody said.
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

SCALE = "difficulty"  # the candidate where no raw measure is at hand: the scale the items are on already


@dataclass(frozen=True)
class SurveyContext:
    """A run as the human studies see it: label tables, templates, item ids, raw difficulties, seed, resamples."""

    labels: Labels
    templates: Mapping[str, Sequence[Any]]
    items: frozenset[tuple[str, str]]  # benchmark and id of every item of the run's datasets, asked or not
    measures: Mapping[str, Mapping[str, float]]  # raw measure of difficulty -> item -> value
    seed: int
    resamples: int

    def table(self, benchmark: str, item: str, where: str) -> Table | None:
        """Find the label table that holds a survey row's item; None for an item of the run's datasets without labels.

        Raises InputError, naming `where`, for an item that is not the run's at all.
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
        """Give the candidate difficulty functions of a table's items, each by name: the raw measures known of them.

        Where no raw measure is known, the one candidate is the 0 to 100 scale, under the name SCALE.
        """
        found = {
            name: {item: values[item] for item in table.items if item in values}
            for name, values in self.measures.items()
        }
        return {name: values for name, values in found.items() if values} or {SCALE: scale(table)}


def scale(table: Table) -> dict[str, float]:
    """Give the difficulty of each item of a label table, on the 0 to 100 scale that the analyses use."""
    return {name: item.difficulty for name, item in table.items.items()}


def survey_context(params: Mapping[str, Any], inputs: Mapping[str, Path]) -> SurveyContext:
    """Read the context from a step: labels; templates, items and gold where given; seed, resamples in `params`."""
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
