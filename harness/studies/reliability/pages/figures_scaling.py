"""Figure 4: avoidance, error and ultracrepidarianism against training compute, raw and shaped models separately.

Rule: docs/reliability-rules.md#scaling. Draws points and fitted lines; does not fit them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from harness.kit import charts
from harness.kit.documents import number, section
from harness.studies.reliability.pages import outputs
from harness.studies.reliability.pages.model_facts import RAW, SHAPED, Basis, Models, kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEASURES: Mapping[str, str] = {
    "avoidant": "Avoidant (a)",
    "incorrect": "Incorrect (i)",
    "ultracrepidarianism": "Ultracrepidarian: i / (a + i)",
}
MARKS = ("o", "s", "^", "v", "P", "X", "*")
NOTHING = "No model of this run has a known amount of training compute: there is nothing to draw avoidance against."
LEFT, TOP, HEIGHT, GAP_ACROSS, GAP_DOWN = 0.95, 1.2, 1.9, 0.4, 0.45
Points = Sequence[Mapping[str, Any]]


def scaling(document: Mapping[str, Any], models: Models, rests: Basis) -> charts.Sheet:
    """Draw Fig. 4 from `scaling`: one column per measure, raw models above and shaped ones below, with fitted lines.

    If no model has known compute, the sheet says so.
    """
    points = [point for point in document.get("points", []) if (number(point.get("flops")) or 0) > 0]
    without = len({*models} - {point["model"] for point in points})
    note = rests.small_print(
        f"Shares are unweighted means over {', '.join(document.get('over', ())) or 'no benchmark'}. "
        "Lines: ordinary least squares on log10 FLOPs, a line a group; "
        "they say what these models did, not what compute does.",
        f"Not drawn, as stand-ins or since compute or tuning is not known: {without} of {len(models)} models."
        if without
        else "",
    )
    if not points:
        sheet = charts.sheet(charts.WIDTH, 1.3 + charts.depth(note))
        sheet.heading(outputs.TITLES["figure-4"])
        sheet.text(0.15, 0.75, NOTHING)
        sheet.small_print(note)
        return sheet
    sheet = charts.sheet(charts.WIDTH, TOP + 2 * HEIGHT + GAP_DOWN + 0.6 + charts.depth(note))
    sheet.heading(outputs.TITLES["figure-4"], "Share of responses by training compute (FLOPs, logarithmic).")
    colours = _families(points)
    _legend(sheet, colours)
    exponents = [math.log10(number(point["flops"]) or 1) for point in points]
    ends = (math.floor(min(exponents) - 0.15), math.ceil(max(exponents) + 0.15))
    width = (charts.WIDTH - LEFT - 0.2 - 2 * GAP_ACROSS) / 3
    for down, group in enumerate((RAW, SHAPED)):
        top = TOP + down * (HEIGHT + GAP_DOWN)
        sheet.text(0.2, top + HEIGHT / 2, group, rotation=90, va="center", ha="center", fontweight="bold")
        inside = [point for point in points if kind(point) == group]
        for across, (measure, title) in enumerate(MEASURES.items()):
            panel = sheet.panel(LEFT + across * (width + GAP_ACROSS), top, width, HEIGHT)
            _frame(panel, ends, last=down == 1)
            _points(panel, inside, measure, colours)
            words = _line(panel, section(document, "fits", group, measure), inside, measure)
            left = LEFT + across * (width + GAP_ACROSS)
            sheet.above(left, top - 0.11, words, fontweight="normal", **charts.FAINT)
            if down == 0:
                sheet.above(left, top - 0.3, title)
    sheet.small_print(note)
    return sheet


def _families(points: Points) -> dict[str, int]:
    return {name: place for place, name in enumerate(sorted({_family(point) for point in points}))}


def _family(point: Mapping[str, Any]) -> str:
    found = point.get("family")
    return found if isinstance(found, str) else "family not said"


def _frame(panel: Axes, ends: tuple[int, int], *, last: bool) -> None:
    panel.set(xlim=ends, ylim=(0, 1))
    panel.set_yticks([0, 0.25, 0.5, 0.75, 1], labels=["0", "", "0.5", "", "1"])
    step = max(1, math.ceil((ends[1] - ends[0]) / 6))
    ticks = list(range(ends[0], ends[1] + 1, step))
    panel.set_xticks(ticks, labels=[f"1e{tick}" for tick in ticks] if last else [])
    panel.grid()
    if last:
        panel.set_xlabel("training compute, FLOPs")


def _points(panel: Axes, points: Points, measure: str, colours: Mapping[str, int]) -> None:
    for point in points:
        value = number(point.get(measure))
        place = colours[_family(point)]
        colour = charts.COLOURS[place % len(charts.COLOURS)]
        if value is not None:
            panel.plot(
                [math.log10(number(point["flops"]) or 1)],
                [value],
                marker=MARKS[place % len(MARKS)],
                markersize=6,
                markerfacecolor=charts.PAPER if kind(point) == RAW else colour,
                markeredgecolor=colour,
                markeredgewidth=1.3,
                linestyle="none",
                clip_on=False,
                zorder=3,
            )


def _line(panel: Axes, fit: Mapping[str, Any], points: Points, measure: str) -> str:
    """Draw the fitted line over the range of its points; return its slope in words, or why there is no line."""
    slope, intercept = number(fit.get("slope_per_decade")), number(fit.get("intercept"))
    across = [math.log10(number(p["flops"]) or 1) for p in points if number(p.get(measure)) is not None]
    if not across:
        return "no points"
    if slope is None or intercept is None:
        return "no line: too few points"
    ends = (min(across), max(across))
    panel.plot(ends, [intercept + slope * at for at in ends], color=charts.INK, linewidth=1.1, zorder=2)
    count = number(fit.get("n"))
    words = f"slope {slope:+.3f} a decade, n = {len(across) if count is None else int(count)}"
    return words.replace("-", "\N{MINUS SIGN}")


def _legend(sheet: charts.Sheet, colours: Mapping[str, int]) -> None:
    from matplotlib.lines import Line2D  # noqa: PLC0415

    marks = []
    for name, place in colours.items():
        mark, colour = MARKS[place % len(MARKS)], charts.COLOURS[place % len(charts.COLOURS)]
        how: Mapping[str, Any] = {"markersize": 5.5, "markerfacecolor": "none", "markeredgewidth": 1.3}
        words = charts.label(name, 1.3, charts.SMALL)
        marks.append(Line2D([], [], marker=mark, linestyle="none", markeredgecolor=colour, label=words, **how))
    sheet.legend(marks, handletextpad=0.2, ncols=min(len(marks), 6))
