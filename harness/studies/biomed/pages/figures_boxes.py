"""Box plots: BioScore of given answers with the share of abstentions in red (Fig. S9), and text metrics (Fig. S10).

Draws the quartiles and whiskers of the documents; computes none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from harness.kit import charts
from harness.kit.documents import number, section
from harness.studies.biomed.measures.paper_texts import METRICS
from harness.studies.biomed.pages import outputs
from harness.studies.biomed.pages.figures_basis import FigureBasis, listed
from harness.studies.biomed.pages.figures_rows import RED, RowChart, RowPanel, beside, box, nothing, row_chart, spelled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

THIRDS = (0.0, 1 / 3, 2 / 3, 1.0)
BOX = (
    "Box: quartiles; thick line: median; whiskers end at the farthest value within 1.5 interquartile ranges. Values "
    "beyond them are counted and not drawn"
)
ORDER = "Models stand in the published order: by median, then by share of abstentions, then by interquartile range."


def boxes(basis: FigureBasis) -> charts.Sheet:
    """Draw Fig. S9 from `texts`: one box per model, and in red the share of its answers that state not to know."""
    found = section(basis.documents.get("texts"), "bioscore", basis.grader)
    rows = [name for name in basis.models if number(section(found, name).get("n"))]
    panel = RowPanel("BioScore", "grade / 3", (0.0, 1.0), THIRDS, partial(_bioscore, found), 1.5)
    absent = [name for name in basis.models if name not in rows]
    note = basis.note(
        f"{BOX}: {_outside(section(found, name, 'box') for name in rows)}.",
        f"Red: the share of all answers that state not to know; they are in no box. {ORDER}",
        f"Without a graded answer: {listed(absent)}." if absent else "",
    )
    under = "Of the answers that were given; red: the share that was not."
    return row_chart(RowChart(outputs.TITLES[outputs.BOXES], under, rows, [panel], note, 1, basis.grey))


def _bioscore(found: Mapping[str, Any], axes: Axes, at: int, name: str) -> None:
    own = section(found, name)
    if not _drawn(axes, at, section(own, "box")):
        axes.text(0.01, at, "no answer was given", color=charts.MUTED, va="center", fontsize=charts.SMALL)
    share = number(own.get("abstained"))
    beside(axes, at, "\N{EM DASH}" if share is None else f"AR {100 * share:.2f}%", RED)


def texts(basis: FigureBasis) -> charts.Sheet:
    """Draw Fig. S10 from `texts`: one panel per metric, one box per model, and the mean beside it."""
    found = section(basis.documents.get("texts"), "metrics")
    kept = [metric for metric in METRICS if section(found, metric)]
    if not kept:
        return nothing(outputs.TITLES[outputs.TEXTS], basis.note("No scorer of texts was asked for.", graded=False))
    rows = [name for name in basis.models if any(section(found, metric, name, "box") for metric in kept)]
    panels = [
        RowPanel(metric, "mean on the right", (0.0, 1.0), (0.0, 0.5, 1.0), partial(_metric, found, metric))
        for metric in kept
    ]
    absent = [name for name in basis.models if name not in rows]
    outside = _outside(section(found, metric, name, "box") for metric in kept for name in rows)
    note = basis.note(
        f"{BOX}: {outside}. {ORDER}",
        "These metrics count common words: a wrong number costs them next to nothing.",
        f"Not measured in this run: {', '.join(metric for metric in METRICS if metric not in kept)}."
        if len(kept) < len(METRICS)
        else "",
        f"Without a value: {listed(absent)}." if absent else "",
    )
    chart = RowChart(outputs.TITLES[outputs.TEXTS], "0 to 1.", rows, panels, note, max(2, len(panels)), basis.grey)
    return row_chart(chart)


def _metric(found: Mapping[str, Any], metric: str, axes: Axes, at: int, name: str) -> None:
    _drawn(axes, at, section(found, metric, name, "box"))
    mean = number(section(found, metric, name))
    beside(axes, at, "\N{EM DASH}" if mean is None else spelled(mean), charts.MUTED if mean is None else charts.INK)


def _drawn(axes: Axes, at: int, found: Mapping[str, Any]) -> bool:
    """Draw a box if all its numbers are there; return whether it was drawn."""
    low, middle, high = (number(found.get(name)) for name in ("q1", "median", "q3"))
    ends = number(found.get("low")), number(found.get("high"))
    if low is None or middle is None or high is None or ends[0] is None or ends[1] is None:
        return False
    box(axes, at, (low, middle, high), (ends[0], ends[1]))
    return True


def _outside(found: Any) -> str:
    return f"{math.fsum(number(each.get('n_outside')) or 0 for each in found):,.0f}"
