"""The scores that an agent is told of its attempt, and their meaning: plain data, with numbers of six digits.

It knows a table of scores; it must never know an item, an answer or a split. Who may be told is decided elsewhere.
"""

from __future__ import annotations

from typing import Any

from harness.run.score_table import ScoreTable
from harness.studies.score_lines import ScoreLine

DIGITS = 6  # significant ones


def agent_scores(table: ScoreTable) -> dict[str, Any]:
    """Give the main metrics and those that the study explains, by `DATASET/SCORER[/METRIC]`.

    A metric without a value says why; `at_worst` stands beside a value that leaves answers out.
    """
    return {line.name: _line(line) for line in table.told()}


def agent_meaning(table: ScoreTable) -> dict[str, Any]:
    """Give what the study says of the metrics that an agent is told, by `SCORER[/METRIC]`."""
    told = {line.measure for line in table.told()}
    return {name: said.document() for name, said in sorted(table.meanings.items()) if name in told}


def _line(line: ScoreLine) -> dict[str, Any]:
    found: dict[str, Any] = {"n": line.n, "errors": line.errors, "unanswered": line.unanswered}
    if line.value is None:
        return {**found, "reason": line.interval.why}
    found["value"] = rounded(line.value)
    if line.interval.ends:
        found["ci95"] = [rounded(end) for end in line.interval.ends]
    if line.at_worst is not None:
        found["at_worst"] = rounded(line.at_worst)
    return found


def rounded(value: float) -> float:
    """Round a number to six significant digits."""
    return float(f"{value:.{DIGITS}g}")
