"""The layout that most figures share: names on the left, panels side by side, a few marks on every row."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.kit import charts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMES, TOP, HEAD, FOOT, WORDS, GAP = 2.2, 0.66, 0.5, 0.36, 0.46, 0.16  # inches
LEAST = 3  # panels side by side for which there is room, so that one with its names fits a small screen
NOTHING = "There is nothing to draw: no value was found."
BLUE, ORANGE, GREEN = charts.COLOURS[0], charts.COLOURS[1], charts.COLOURS[2]
Span = tuple[float, float]
Place = tuple[float, float, float]
BAR, DOT, DIAMOND = "bar", "dot", "diamond"


@dataclass(frozen=True)
class RowMark:
    """One mark on a row: a value and how it is drawn, the dots and the diamond drawn on it, and words beside it."""

    value: float | None
    colour: str
    shift: float = 0.0  # below the middle of the row, in rows
    shape: str = BAR
    dots: tuple[float, ...] = ()
    diamond: float | None = None
    words: str = ""
    thick: float = 0.34  # of a bar, in rows

    def reached(self) -> Iterator[float]:
        """Yield every value that the mark shows."""
        yield from (each for each in (self.value, *self.dots, self.diamond) if each is not None)


@dataclass(frozen=True)
class MarkPanel:
    """One panel: its title, the line under it, and the marks of each row by the row's name."""

    title: str
    under: str
    marks: Mapping[str, Sequence[RowMark]]


@dataclass(frozen=True)
class MarkChart:
    """A chart: title, the line under it, rows, panels and small print; all panels share one axis.

    The axis spans 0 and all values, within `limits`; values beyond are drawn at its end. `guide` is the position of a
    line through every row.
    """

    title: str
    under: str
    rows: Sequence[str]
    panels: Sequence[MarkPanel]
    note: str
    row: float = 0.36  # inches
    columns: int = 3
    limits: Span = (-1.0, 1.0)
    guide: float | None = None
    unit: str = ""
    legend: Sequence[tuple[str, str, str]] = ()  # words, colour, shape


def mark_chart(chart: MarkChart) -> charts.Sheet:
    """Lay out and draw a chart; a row is shown next to the panels that have its value, and an empty chart says so."""
    panels = [panel for panel in chart.panels if any(_values(panel))]
    columns = min(chart.columns, len(panels))
    strips = [panels[at : at + columns] for at in range(0, len(panels), columns or 1)]
    rows = [
        [name for name in chart.rows if any(_drawn(panel.marks.get(name, ())) for panel in strip)] for strip in strips
    ]
    if not any(rows):
        return nothing(chart.title, chart.note)
    high = math.fsum(HEAD + len(own) * chart.row + FOOT for own in rows)
    sheet = charts.sheet(charts.WIDTH, TOP + high + charts.depth(chart.note))
    sheet.heading(chart.title, chart.under)
    sheet.legend(_handles(chart.legend), top=0.14)
    room, ends, top = (charts.WIDTH - NAMES - 0.1) / max(columns, LEAST), _ends(chart, panels), TOP + HEAD
    for strip, own in zip(strips, rows, strict=True):
        _names(sheet, chart, own, top)
        for at, panel in enumerate(strip):
            _titled(sheet, chart, panel, own, (NAMES + at * room, top, room), ends)
        top += HEAD + len(own) * chart.row + FOOT
    sheet.small_print(chart.note)
    return sheet


def _titled(
    sheet: charts.Sheet, chart: MarkChart, panel: MarkPanel, rows: Sequence[str], place: Place, ends: Span
) -> None:
    """Draw a panel with its title above; `place` is its left and upper edge and the width for it."""
    left, top, room = place
    sheet.above(left, top - 0.25, charts.label(panel.title, 0.85 * room))
    under = charts.label(panel.under, room - 0.1, charts.SMALL) if panel.under else ""
    sheet.above(left, top - 0.1, under, **{**charts.FAINT, "fontweight": "normal"})
    _panel(sheet.panel(left, top, room - WORDS - GAP, len(rows) * chart.row), chart, panel, rows, ends)


def nothing(title: str, note: str) -> charts.Sheet:
    """Return the sheet of a figure that has nothing to show, with words that say so."""
    sheet = charts.sheet(charts.WIDTH, 1.15 + charts.depth(note))
    sheet.heading(title)
    sheet.text(0.15, 0.72, NOTHING)
    sheet.small_print(note)
    return sheet


def spelled(value: float, digits: int = 3) -> str:
    """Format a number for figures, with a true minus sign; a huge number as a power of ten."""
    shown = f"{value:z.{digits}f}" if abs(value) < 1000 else f"{value:.0e}"
    return shown.replace("-", "\N{MINUS SIGN}")


def ends_of(values: Sequence[float], limits: Span = (-1.0, 1.0)) -> Span:
    """Return the ends of an axis that contains 0 and the values, within limits, with a small margin."""
    low, high = max(min([0.0, *values]), limits[0]), min(max([0.0, *values]), limits[1])
    room = 0.04 * (high - low) or 0.01
    return (low - room if low < 0 else 0.0), high + room


def _drawn(marks: Sequence[RowMark]) -> bool:
    return any(mark.value is not None for mark in marks)


def _values(panel: MarkPanel) -> Iterator[RowMark]:
    yield from (mark for marks in panel.marks.values() for mark in marks if mark.value is not None)


def _ends(chart: MarkChart, panels: Sequence[MarkPanel]) -> Span:
    reached = [each for panel in panels for mark in _values(panel) for each in mark.reached()]
    return ends_of([*reached, *([] if chart.guide is None else [chart.guide])], chart.limits)


def _names(sheet: charts.Sheet, chart: MarkChart, rows: Sequence[str], top: float) -> None:
    for place, name in enumerate(rows):
        shown = charts.label(name, NAMES - 0.3)
        sheet.text(NAMES - 0.1, top + (place + 0.5) * chart.row, shown, ha="right", va="center")


def _panel(axes: Axes, chart: MarkChart, panel: MarkPanel, rows: Sequence[str], ends: Span) -> None:
    axes.set(xlim=ends, ylim=(len(rows) - 0.5, -0.5), yticks=[])
    axes.tick_params(axis="x", length=0)
    axes.locator_params(axis="x", nbins=6)
    axes.grid(axis="x")
    axes.spines["left"].set_visible(False)
    axes.axvline(0, color=charts.MUTED, linewidth=0.7)
    if chart.guide is not None:
        axes.axvline(chart.guide, color=charts.INK, linewidth=1.0, linestyle=(0, (4, 3)), zorder=1)
    for at, name in enumerate(rows):
        if at % 2:
            axes.axhspan(at - 0.5, at + 0.5, color=charts.BAND, zorder=0, linewidth=0)
        for mark in panel.marks.get(name, ()):
            _mark(axes, at + mark.shift, mark, ends)
            beside: Any = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points"}
            words = mark.words or ("\N{EM DASH}" if mark.value is None else spelled(mark.value))
            axes.annotate(
                words,
                (1.0, at + mark.shift),
                xytext=(5, 0),
                va="center",
                fontsize=charts.SMALL,
                color=mark.colour,
                **beside,
            )


def _mark(axes: Axes, at: float, mark: RowMark, ends: Span) -> None:
    if mark.value is None:
        return
    value = _within(mark.value, ends)
    if mark.shape == BAR:
        axes.barh([at], [value], height=mark.thick, color=mark.colour, linewidth=0, alpha=0.85, zorder=2)
    else:
        axes.plot([value], [at], zorder=4, **_style(mark.shape, mark.colour))
    dots = [_within(each, ends) for each in mark.dots]
    if dots:
        axes.plot(dots, [at] * len(dots), zorder=3, **{**_style(DOT, charts.INK), "markersize": 2.6})
    if mark.diamond is not None:
        axes.plot([_within(mark.diamond, ends)], [at], zorder=5, **_style(DIAMOND, charts.INK))


def _within(value: float, ends: Span) -> float:
    return min(max(value, ends[0]), ends[1])


def _style(shape: str, colour: str) -> dict[str, Any]:
    """Return the style of a dot or a hollow diamond; it may extend over the end of an axis."""
    own: dict[str, Any] = {"marker": "o", "markersize": 5.0, "color": colour}
    if shape == DIAMOND:
        own = {"marker": "D", "markersize": 4.2, "markerfacecolor": charts.PAPER, "markeredgecolor": colour}
    return {"linestyle": "none", "clip_on": False, **own}


def _handles(legend: Sequence[tuple[str, str, str]]) -> list[Any]:
    from matplotlib.lines import Line2D  # noqa: PLC0415
    from matplotlib.patches import Patch  # noqa: PLC0415

    return [
        Patch(facecolor=colour, label=words) if shape == BAR else Line2D([], [], label=words, **_style(shape, colour))
        for words, colour, shape in legend
    ]
