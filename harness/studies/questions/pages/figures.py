"""The step that draws the run's figure: each model's mean with its interval, one panel per dataset and scorer.

Reads the summary only; independent of how values were computed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.kit import charts
from harness.kit.documents import documents, interval, number
from harness.studies.questions.pages.fragments import at
from harness.studies.questions.pages.page_facts import FIGURE, QuestionsFacts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = "Mean score of each model, with its 95 % interval"
NOTHING = "There is nothing to draw: no value was found."
MOST_PANELS, MOST_ROWS, COLUMNS = 30, 60, 3
NAMES, VALUES, ROW, TOP, HEAD, FOOT, GAP = 2.2, 0.5, 0.22, 0.55, 0.4, 0.3, 0.15  # inches


@dataclass(frozen=True)
class ScorePanel:
    """One panel: its title, the values with their intervals by model, and whether its axis is in per cent."""

    title: str
    dots: Mapping[str, tuple[float, tuple[float, float] | None]]
    percent: bool


def draw(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Draw the figure and write it as SVG and PNG; a figure without values says so."""
    run, given = QuestionsFacts.of(params), documents(inputs, ("summary",))
    charts.draw({FIGURE: partial(sheet, run, given["summary"])}, out, lambda _: TITLE)


def sheet(run: QuestionsFacts, summary: Mapping[str, Any]) -> charts.Sheet:
    """Lay out the figure and draw it; a note at its foot says if panels or models were left out."""
    panels = list(_panels(run, summary))
    models = [name for name in run.models if any(name in panel.dots for panel in panels)]
    note = "A dot is a mean over answers, the line its interval. Grey: stand-ins, which answer by a rule."
    if len(panels) > MOST_PANELS or len(models) > MOST_ROWS:
        note += f" The first {MOST_PANELS} panels and {MOST_ROWS} models; the tables hold all."
    panels, models = panels[:MOST_PANELS], models[:MOST_ROWS]
    deep, high = math.ceil(len(panels) / COLUMNS), HEAD + max(1, len(models)) * ROW + FOOT
    made = charts.sheet(charts.WIDTH, TOP + deep * high + charts.depth(note) if panels else 1.2 + charts.depth(note))
    made.heading(TITLE)
    made.small_print(note)
    if not panels:
        made.text(0.15, 0.7, NOTHING)
    width = (charts.WIDTH - NAMES - 0.1) / COLUMNS - VALUES - GAP
    for place, panel in enumerate(panels):
        top, left = TOP + place // COLUMNS * high + HEAD, NAMES + place % COLUMNS * (width + VALUES + GAP)
        made.above(left, top - 0.12, charts.label(panel.title, width + VALUES - 0.1))
        _panel(made.panel(left, top, width, len(models) * ROW), panel, run, models)
        for row, name in enumerate(models if place % COLUMNS == 0 else ()):
            shown = charts.label(name, NAMES - 0.3)
            made.text(NAMES - 0.1, top + (row + 0.5) * ROW, shown, ha="right", va="center")
    return made


def _panels(run: QuestionsFacts, summary: Mapping[str, Any]) -> Iterator[ScorePanel]:
    for dataset in at(summary, "datasets"):
        for scorer in run.scorers:
            percent, dots = run.in_percent(scorer), {}
            for model in run.models:
                line = at(summary, "scores", model, dataset, scorer)
                if (value := number(line.get("value"))) is not None:
                    dots[model] = (value, interval(line))
            if dots:
                yield ScorePanel(f"{dataset}: {scorer}", dots, percent)


def _panel(axes: Axes, panel: ScorePanel, run: QuestionsFacts, models: Sequence[str]) -> None:
    low, high = _limits(panel)
    axes.set(xlim=(low, high), ylim=(len(models) - 0.5, -0.5), yticks=[])
    if panel.percent:
        axes.set_xticks([0, 0.5, 1], labels=["0", "50", "100 %"])
    else:
        axes.locator_params(axis="x", nbins=4)
    axes.grid(axis="x")
    axes.tick_params(axis="x", length=0)
    axes.spines["left"].set_visible(False)
    beside: Mapping[str, Any] = {"transform": axes.get_yaxis_transform(), "va": "center", "fontsize": charts.SMALL}
    for row, name in enumerate(models):
        if row % 2:
            axes.axhspan(row - 0.5, row + 0.5, color=charts.BAND, zorder=0, linewidth=0)
        if name not in panel.dots:
            axes.text(1.03, row, "no value", color=charts.MUTED, **beside)
            continue
        value, ends = panel.dots[name]
        colour = charts.MUTED if run.is_stand_in(name) else charts.COLOURS[0]
        if ends:
            axes.plot(ends, (row, row), color=colour, linewidth=1.4, zorder=2, solid_capstyle="butt")
        axes.plot([value], [row], marker="o", markersize=4.5, linestyle="none", color=colour, zorder=3)
        axes.text(1.03, row, f"{100 * value:z.1f}" if panel.percent else f"{value:z.3g}", **beside)


def _limits(panel: ScorePanel) -> tuple[float, float]:
    """Return the ends of a panel's axis: 0 and 1 with a margin for shares, else the range of values and intervals."""
    if panel.percent:
        return -0.02, 1.02
    reached = [end for value, ends in panel.dots.values() for end in (value, *(ends or ()))]
    low, high = min(reached), max(reached)
    room = 0.05 * (high - low) or max(1e-9, 0.05 * abs(high))
    return low - room, high + room
