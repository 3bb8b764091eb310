"""The chart used by most figures: names on the left, panels side by side, in each panel a bar for every name.

Independent of the meaning of the numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from harness.kit import charts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMES_WIDTH, VALUES_WIDTH, ROW, TOP, HEAD, FOOT, GAP = 2.45, 0.42, 0.2, 0.6, 0.52, 0.3, 0.14  # inches
LEAST = 3  # panels side by side for which there is room, so that one with its names fits a small screen
NOTHING = "There is nothing to draw: no value was found."
PLAIN, STAND_IN, BESIDE = "model", "stand-in", "cheap strategy (OURS)"
PAPERS = "the paper's model"
COLOURS: Mapping[str, str] = {PLAIN: "#0072b2", STAND_IN: "#56b4e9", BESIDE: "#b0b0b0", PAPERS: "#009e73"}


@dataclass(frozen=True)
class Bar:
    """One bar: its value, the spread of the records behind it, and a second value that is drawn as a mark.

    On a logarithmic axis it is a dot, since a length has no meaning there.
    """

    value: float | None
    spread: tuple[float, float] | None = None
    mark: float | None = None
    words: str = ""  # shown instead of the value


@dataclass(frozen=True)
class BarPanel:
    """One panel: its title, a line below the title, and the bars by name; names without a bar stay empty."""

    title: str
    under: str
    bars: Mapping[str, Bar]
    log: bool = False
    digits: int = 1
    most: float = 100.0  # least upper end of a linear axis


@dataclass(frozen=True)
class BarChart:
    """A whole chart: its rows by name, the kind of each row, the panels, and the texts around them."""

    title: str
    under: str
    rows: Sequence[str]
    panels: Sequence[BarPanel]
    note: str
    columns: int = 3
    kinds: Mapping[str, str] = field(default_factory=dict)


def bar_chart(chart: BarChart) -> charts.Sheet:
    """Draw a chart; rows without a value in any panel are left out, and a chart without rows says so."""
    rows = [name for name in chart.rows if any(_known(panel.bars.get(name)) for panel in chart.panels)]
    if not rows:
        return empty(chart.title, chart.note)
    deep = math.ceil(len(chart.panels) / chart.columns)
    high = HEAD + len(rows) * ROW + FOOT
    sheet = charts.sheet(charts.WIDTH, TOP + deep * high + charts.depth(chart.note))
    sheet.heading(chart.title, chart.under)
    width = (charts.WIDTH - NAMES_WIDTH - 0.1) / max(chart.columns, LEAST) - VALUES_WIDTH - GAP
    for at, panel in enumerate(chart.panels):
        top = TOP + at // chart.columns * high + HEAD
        left = NAMES_WIDTH + at % chart.columns * (width + VALUES_WIDTH + GAP)
        sheet.above(left, top - 0.26, charts.label(panel.title, width + VALUES_WIDTH - 0.1))
        under = charts.label(panel.under, width + VALUES_WIDTH, charts.SMALL) if panel.under else ""
        sheet.above(left, top - 0.11, under, **{**charts.FAINT, "fontweight": "normal"})
        _panel(sheet.panel(left, top, width, len(rows) * ROW), panel, rows, chart.kinds)
        if at % chart.columns == 0:
            _names(sheet, top, rows, chart.kinds)
    _legend(sheet, [chart.kinds[name] for name in rows if name in chart.kinds])
    sheet.small_print(chart.note)
    return sheet


def empty(title: str, note: str) -> charts.Sheet:
    """Return the sheet of a figure without data, which says so."""
    sheet = charts.sheet(charts.WIDTH, 1.2 + charts.depth(note))
    sheet.heading(title)
    sheet.text(0.15, 0.7, NOTHING)
    sheet.small_print(note)
    return sheet


def _known(bar: Bar | None) -> bool:
    return bar is not None and bar.value is not None


def _names(sheet: charts.Sheet, top: float, rows: Sequence[str], kinds: Mapping[str, str]) -> None:
    for at, name in enumerate(rows):
        soft = {"color": charts.MUTED} if kinds.get(name) == BESIDE else {}
        shown = charts.label(name, NAMES_WIDTH - 0.35)
        sheet.text(NAMES_WIDTH - 0.1, top + (at + 0.5) * ROW, shown, ha="right", va="center", **soft)


def _panel(axes: Axes, panel: BarPanel, rows: Sequence[str], kinds: Mapping[str, str]) -> None:
    low, high = _limits(panel, rows)
    if panel.log:
        axes.set_xscale("log")
    axes.set(xlim=(low, high), ylim=(len(rows) - 0.5, -0.5), yticks=[])
    _ticks(axes, panel, low, high)
    axes.spines["left"].set_visible(False)
    axes.axvline(low if panel.log else 0, color=charts.MUTED, linewidth=0.7)
    beside: Mapping[str, Any] = {"transform": axes.get_yaxis_transform(), "va": "center", "fontsize": charts.SMALL}
    for at, name in enumerate(rows):
        bar = panel.bars.get(name)
        if at % 2:
            axes.axhspan(at - 0.5, at + 0.5, color=charts.BAND, zorder=0, linewidth=0)
        if bar is None:
            continue
        if bar.value is None:
            axes.text(1.03, at, bar.words or "no value", color=charts.MUTED, **beside)
            continue
        _bar(axes, at, bar, COLOURS[kinds.get(name, PLAIN)], dot=panel.log)
        axes.text(1.03, at, bar.words or _spelled(bar.value, panel.digits), **beside)


def _bar(axes: Axes, at: int, bar: Bar, colour: str, *, dot: bool) -> None:
    value = bar.value or 0.0
    if dot:
        axes.plot([value], [at], marker="o", markersize=5.5, linestyle="none", color=colour, zorder=3.5)
    else:
        axes.barh([at], [value], height=0.62, color=colour, zorder=2)
    if bar.spread:
        axes.plot(bar.spread, (at, at), color=charts.INK, linewidth=0.9, marker="|", markersize=4, zorder=3)
    if bar.mark is not None:
        axes.plot(
            [bar.mark],
            [at],
            marker="D",
            markersize=3.6,
            linestyle="none",
            markerfacecolor=charts.PAPER,
            markeredgecolor=charts.INK,
            markeredgewidth=0.9,
            zorder=4,
        )


def _spelled(value: float, digits: int) -> str:
    text = f"{value:z.{digits}f}" if abs(value) < 1e5 else f"{value:.1e}"
    return text.replace("-", "\N{MINUS SIGN}")


def _limits(panel: BarPanel, rows: Sequence[str]) -> tuple[float, float]:
    """Return the ends of a panel's axis: 0 to `most` or the largest value, or whole decades if it is logarithmic."""
    bars = [bar for name in rows if (bar := panel.bars.get(name)) and bar.value is not None]
    reached = [end for bar in bars for end in (bar.value, *(bar.spread or ()), bar.mark) if end is not None]
    if not panel.log:
        low, high = min([0.0, *reached]), max([panel.most, *reached])
        return low * 1.05, high * 1.02
    above = [end for end in reached if end > 0] or [1.0]
    low, high = math.floor(math.log10(min(above)) - 0.01), math.ceil(math.log10(max(above)) + 0.01)
    return 10.0 ** max(low, -300), 10.0 ** min(high, 300)


def _ticks(axes: Axes, panel: BarPanel, low: float, high: float) -> None:
    axes.grid(axis="x")
    axes.tick_params(axis="x", length=0)
    if not panel.log:
        axes.set_xticks([0, panel.most / 2, panel.most], labels=["0", f"{panel.most / 2:g}", f"{panel.most:g}"])
        return
    from matplotlib.ticker import NullLocator  # noqa: PLC0415

    first, last = round(math.log10(low)), round(math.log10(high))
    powers = list(range(first, last + 1, max(1, math.ceil((last - first) / 4))))
    axes.set_xticks([10.0**power for power in powers], labels=[_decade(power) for power in powers])
    axes.xaxis.set_minor_locator(NullLocator())


def _decade(power: int) -> str:
    return f"{10**power:,}" if 0 <= power <= 5 else f"{10.0**power:g}" if -3 <= power < 0 else f"1e{power}"


def _legend(sheet: charts.Sheet, kinds: Sequence[str]) -> None:
    from matplotlib.patches import Patch  # noqa: PLC0415

    met = [kind for kind in COLOURS if kind in kinds]
    if len(met) > 1:
        patches = [Patch(facecolor=COLOURS[kind], label=kind) for kind in met]
        sheet.legend(patches, handlelength=1.2, handleheight=1.0)
