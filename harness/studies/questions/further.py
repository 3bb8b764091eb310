"""Turns the summary of a run into the further lines of its table of scores: pass@k, majorities and groups.

Reads a document that a step of the run made; computes no values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.kit.further import FurtherLine, read_line
from harness.studies.questions.pages.fragments import at
from harness.studies.questions.pages.tables_repeats import told

MAJORITY = "majority"


def further_lines(summary: Mapping[str, Any]) -> list[FurtherLine]:
    """Return lines for a table of scores from a summary: on repeated answers to a prompt, then on groups of items."""
    return [*_several(summary), *_groups(summary)]


def _several(summary: Mapping[str, Any]) -> Iterator[FurtherLine]:
    for model, dataset, scorer, found in told(summary, "samples"):
        passed = at(found, "pass_at")
        for k in sorted((k for k in passed if k.isdecimal()), key=int):
            line = at(passed, k)
            yield FurtherLine(read_line((model, dataset, scorer), f"pass@{k}", line))
        if "value" in (most := at(found, MAJORITY)):
            yield FurtherLine(read_line((model, dataset, scorer), MAJORITY, most))


def _groups(summary: Mapping[str, Any]) -> Iterator[FurtherLine]:
    found = at(summary, "groups")
    for dataset in found:
        for column in at(found, dataset):
            for group, models in at(found, dataset, column, "values").items():
                for model, scorers in models.items():
                    for scorer, line in scorers.items():
                        if "value" in line or "n" in line:
                            yield FurtherLine(read_line((model, dataset, scorer), "", line), column, group)
