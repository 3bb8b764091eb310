"""The panel grid of several figures: one column per benchmark, one row per model, difficulty on the horizontal axis.

Lays out panels and the text around them; independent of what is drawn inside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.kit import charts
from harness.kit.documents import ends
from harness.studies.reliability.pages.model_facts import Basis, Models, family, kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEFT, TOP, ROW, GAP, WIDEST = 2.2, 1.1, 0.78, 0.2, 4.5  # inches
Bins = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class GridModels:
    """The models on one sheet of a grid, the facts of all the run's models, and the basis of their values."""

    models: Models
    rows: Sequence[str]
    rests: Basis


@dataclass(frozen=True)
class GridPanel:
    """One panel of a grid: the bins of its horizontal axis, and the function that draws it (None: nothing scored)."""

    bins: Bins
    draw: Callable[[Axes], None] | None


def grid(
    shown: GridModels, cells: Mapping[str, Mapping[str, GridPanel]], title: str, under: str, note: str
) -> charts.Sheet:
    """Lay out a sheet with one column per benchmark and one row per model, and draw each panel of `cells`.

    Difficulty is marked under the last row; `under` is the line below the title, `note` the small print.
    """
    count = max(len(shown.rows), 1)
    sheet = charts.sheet(charts.WIDTH, TOP + count * (ROW + GAP) - GAP + 0.45 + charts.depth(note))
    sheet.heading(title, under)
    width = min((charts.WIDTH - LEFT - 0.25) / max(len(cells), 1) - GAP, WIDEST)
    for across, (benchmark, column) in enumerate(cells.items()):
        left = LEFT + across * (width + GAP)
        sheet.above(left, TOP - 0.13, charts.label(benchmark, 0.88 * width))
        for down, model in enumerate(shown.rows):
            panel = sheet.panel(left, TOP + down * (ROW + GAP), width, ROW)
            _frame(panel, column[model].bins, first=across == 0, last=down == count - 1)
            draw = column[model].draw
            if draw:
                draw(panel)
            else:
                sheet.text(
                    left + width / 2, TOP + down * (ROW + GAP) + ROW / 2, "nothing scored", ha="center", **charts.FAINT
                )
    for down, model in enumerate(shown.rows):
        _name(sheet, TOP + down * (ROW + GAP) + ROW / 2, model, shown.models)
    if not cells or not shown.rows:
        sheet.text(LEFT, TOP, "Nothing was scored: there is nothing to draw.", **charts.FAINT)
    sheet.small_print(note)
    return sheet


def _frame(panel: Axes, bins: Bins, *, first: bool, last: bool) -> None:
    panel.set(xlim=(0, max(len(bins), 1)), ylim=(0, 1), xticks=[], yticks=[])
    if first:
        panel.set_yticks([0, 0.5, 1], labels=["0", "0.5", "1"])
    if last and bins:
        places = sorted({0, len(bins) // 2, len(bins) - 1})
        panel.set_xticks([at + 0.5 for at in places], labels=[ends(bins[at]) for at in places])
        if len(places) == 3:  # so that the labels of adjacent panels do not touch
            left, _, right = panel.get_xticklabels()
            left.set_horizontalalignment("left")
            right.set_horizontalalignment("right")


def _name(sheet: charts.Sheet, middle: float, model: str, models: Models) -> None:
    sheet.text(LEFT - 0.4, middle - 0.02, charts.label(model, LEFT - 0.5), ha="right", va="bottom")
    what = kind(models[model])
    about = (
        what
        if what == family(models[model])[:-1]
        else f"{charts.label(family(models[model]), LEFT - 1.0, charts.SMALL)}, {what}"
    )
    sheet.text(LEFT - 0.4, middle + 0.02, about, ha="right", **charts.FAINT)
