"""The layout that most figures share: names on the left, panels side by side, one row of marks for every name.

Places rows and panels, and draws bars, dots and boxes on a row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.kit import charts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMES, ROW, TOP, HEAD, FOOT, GAP = 2.45, 0.21, 0.62, 0.5, 0.32, 0.16  # inches
LEAST = 3  # panels side by side for which there is room, so that one with its names fits a small screen
NOTHING = "There is nothing to draw: no value was found."
BLUE, ORANGE, RED = charts.COLOURS[0], charts.COLOURS[1], "#c00000"
Span = tuple[float, float]


@dataclass(frozen=True)
class RowPanel:
    """One panel: its title, the line under it, the ends and ticks of its axis, and the function that draws a row.

    `mark` draws the row of a name at a height. `words` is the space in inches that it needs to the right of the axis.
    """

    title: str
    under: str
    ends: Span
    ticks: Sequence[float]
    mark: Callable[[Axes, int, str], None]
    words: float = 0.42


@dataclass(frozen=True)
class RowChart:
    """A chart: title, the line under it, rows by name, panels, small print, and which names are drawn in grey."""

    title: str
    under: str
    rows: Sequence[str]
    panels: Sequence[RowPanel]
    note: str
    columns: int
    grey: Collection[str] = ()


def row_chart(chart: RowChart, why: str = "") -> charts.Sheet:
    """Lay out and draw a chart; without rows or panels, the sheet says that there is nothing to draw, and why."""
    if not chart.rows or not chart.panels:
        return nothing(chart.title, chart.note, why)
    high, deep = len(chart.rows) * ROW, math.ceil(len(chart.panels) / chart.columns)
    sheet = charts.sheet(charts.WIDTH, TOP + deep * (HEAD + high + FOOT) + charts.depth(chart.note))
    sheet.heading(chart.title, chart.under)
    room = (charts.WIDTH - NAMES - 0.1) / max(chart.columns, LEAST)
    for at, panel in enumerate(chart.panels):
        across, down = at % chart.columns, at // chart.columns
        left, top = NAMES + across * room, TOP + down * (HEAD + high + FOOT) + HEAD
        sheet.above(left, top - 0.25, charts.label(panel.title, 0.8 * room))  # bold letters are wider
        sheet.above(left, top - 0.1, _under(panel, room), fontweight="normal", **charts.FAINT)
        _rows(sheet.panel(left, top, room - panel.words - GAP, high), panel, chart.rows)
        if not across:
            for place, name in enumerate(chart.rows):
                names(sheet, NAMES - 0.1, top + (place + 0.5) * ROW, name, grey=name in chart.grey)
    sheet.small_print(chart.note)
    return sheet


def names(sheet: charts.Sheet, right: float, middle: float, name: str, *, grey: bool) -> None:
    """Write the name of a row so that it ends at `right`, in grey if asked for."""
    colour = charts.MUTED if grey else charts.INK
    sheet.text(right, middle, charts.label(name, right - 0.2), ha="right", va="center", color=colour)


def nothing(title: str, note: str, why: str = "") -> charts.Sheet:
    """Return the sheet of a figure that has nothing to show; it says so, and why if the reason is known."""
    said = charts.wrapped(f"{NOTHING} {why}".strip(), 8.6)
    sheet = charts.sheet(charts.WIDTH, 0.95 + 0.17 * len(said) + charts.depth(note))
    sheet.heading(title)
    sheet.text(0.15, 0.7, "\n".join(said))
    sheet.small_print(note)
    return sheet


def bar(axes: Axes, at: int, value: float, colour: str = BLUE) -> None:
    """Draw a bar from 0 to a value."""
    axes.barh([at], [value], height=0.62, color=colour, linewidth=0, zorder=2)


def dot(axes: Axes, at: float, value: float, colour: str = BLUE, *, inner: Span | None, outer: Span | None) -> None:
    """Draw a dot with up to two intervals, the inner one thick and the outer one thin."""
    for span, width in ((outer, 0.9), (inner, 2.6)):
        if span:
            axes.plot(span, (at, at), color=colour, linewidth=width, solid_capstyle="butt", zorder=3)
    axes.plot([value], [at], marker="o", markersize=4.5, linestyle="none", color=colour, zorder=4)


def box(axes: Axes, at: int, quartiles: tuple[float, float, float], whiskers: Span) -> None:
    """Draw a box from quartile to quartile with its median, and whiskers on both sides of the box."""
    low, middle, high = quartiles
    for inner, outer in ((low, min(low, whiskers[0])), (high, max(high, whiskers[1]))):
        axes.plot([inner, outer], [at, at], color=BLUE, linewidth=1.0, zorder=2)
        axes.plot([outer], [at], marker="|", markersize=5, color=BLUE, linestyle="none", zorder=2)
    axes.barh([at], [high - low], left=[low], height=0.56, facecolor="#a9cde2", edgecolor=BLUE, linewidth=0.9, zorder=3)
    axes.plot(
        [middle, middle], [at - 0.28, at + 0.28], color=charts.INK, linewidth=1.6, zorder=4, solid_capstyle="butt"
    )


def beside(axes: Axes, at: int, words: str, colour: str = charts.INK) -> None:
    """Write words to the right of the axis, on a row."""
    place: Any = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points"}
    axes.annotate(words, (1.0, at), xytext=(5, 0), va="center", fontsize=charts.SMALL, color=colour, **place)


def spelled(value: float, digits: int = 2) -> str:
    """Format a number as figures print it, with a true minus sign."""
    return f"{value:z.{digits}f}".replace("-", "\N{MINUS SIGN}")


def _tick(value: float) -> str:
    return spelled(value).rstrip("0").rstrip(".")


def _under(panel: RowPanel, room: float) -> str:
    return charts.label(panel.under, room - 0.05, charts.SMALL) if panel.under else ""


def _rows(axes: Axes, panel: RowPanel, rows: Sequence[str]) -> None:
    low, high = panel.ends
    margin = (high - low) / 60  # so that a dot on an end is whole
    axes.set(xlim=(low - margin, high + margin), ylim=(len(rows) - 0.5, -0.5), yticks=[])
    axes.set_xticks(list(panel.ticks), labels=[_tick(tick) for tick in panel.ticks])
    axes.tick_params(axis="x", length=0)
    axes.grid(axis="x")
    axes.spines["left"].set_visible(False)
    for at, name in enumerate(rows):
        if at % 2:
            axes.axhspan(at - 0.5, at + 0.5, color=charts.BAND, zorder=0, linewidth=0)
        panel.mark(axes, at, name)
    if low <= 0 <= high:
        axes.axvline(0, color=charts.MUTED, linewidth=0.7, zorder=1)
