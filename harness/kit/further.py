"""Further lines of a table of scores: those of several answers to a prompt (pass@k, majority), and those of groups.

A study whose summary has such numbers turns them into lines; what is shown is thus what a step of the run computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NotRequired, Protocol, cast, runtime_checkable

from harness.kit.documents import interval, number
from harness.kit.score_intervals import ScoreInterval
from harness.kit.score_lines import ScoreLine, ScoreLineRow

COUNTS = ("n", "items", "clusters", "errors", "unanswered", "missing")  # of a line


class FurtherLineRow(ScoreLineRow):
    """A `FurtherLine` as plain data."""

    column: NotRequired[str]
    group: NotRequired[str]


@dataclass(frozen=True)
class FurtherLine:
    """A line of a table of scores that is not over all answers: over several answers to a prompt, or over a group."""

    line: ScoreLine
    column: str = ""
    group: str = ""

    def document(self) -> FurtherLineRow:
        """Return the line as plain data; column and value only if it is of a group."""
        row = cast(FurtherLineRow, self.line.document())  # a dict of its own, to which fields are added
        if self.column:
            row["column"], row["group"] = self.column, self.group
        return row


@runtime_checkable
class SummedUp(Protocol):
    """A study that turns its summary of a run into more lines of the table of scores."""

    @property
    def summary_output(self) -> str:
        """The name of the step output that holds the summary."""

    def further_lines(self, summary: Mapping[str, Any]) -> Sequence[FurtherLine]:
        """Return lines for a table of scores from a summary: on repeated answers to a prompt, then on groups."""


def read_line(place: tuple[str, str, str], metric: str, found: Mapping[str, Any]) -> ScoreLine:
    """Convert a line of a summary to a line of the table of scores; `place` has its model, dataset and scorer."""
    n, items, clusters, errors, unanswered, missing = (int(number(found.get(name)) or 0) for name in COUNTS)
    ends = interval(found)
    apart = ScoreInterval(ends, str(found.get("by", "")), str(found.get("no_interval", "")), clusters)
    value, worst = (number(found.get(name)) for name in ("value", "at_worst"))
    return ScoreLine(*place, metric, n, items, value, apart, errors, unanswered, missing, worst)
