"""Figure 3: people's verdicts on answers that do not avoid, over bins of difficulty (docs/reliability-rules.md#people).

Works on shares of model->human cells; sees no persons or answers. Simulated respondents are labelled as such in bold
letters at the top.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from harness.kit import charts
from harness.kit.documents import ends, interval, number, resampled, section
from harness.studies.reliability.pages import outputs
from harness.studies.reliability.pages.model_facts import Basis

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIMULATED = "SIMULATED RESPONDENTS: no person took part"
# The dangerous error is first and thickest; agreement with the label is thin and grey.
CELLS: Mapping[str, tuple[str, str, float, Any]] = {
    "i->c": ("incorrect → correct (dangerous)", "#d55e00", 2.4, "-"),
    "c->i": ("correct → incorrect", "#0072b2", 1.5, "-"),
    "i->a": ("incorrect → avoidant", "#d55e00", 1.1, (0, (4, 1.6))),
    "c->a": ("correct → avoidant", "#0072b2", 1.1, (0, (4, 1.6))),
    "i->u": ("incorrect → unsure", "#d55e00", 1.1, (0, (1, 1.4))),
    "c->u": ("correct → unsure", "#0072b2", 1.1, (0, (1, 1.4))),
    "c->c": ("correct → correct (agree)", "#9a9a9a", 1.1, "-"),
    "i->i": ("incorrect → incorrect (agree)", "#9a9a9a", 1.1, (0, (4, 1.6))),
}
NARROW, WIDE = 3, 4  # panels in a row
TOP, LEFT, HEIGHT, GAP = 1.5, 0.55, 2.0, 0.75


def supervision(document: Mapping[str, Any], rests: Basis) -> charts.Sheet:
    """Draw Fig. 3 from `people`: one panel per benchmark or subset, with each model->human cell's share in each bin.

    The interval of the cell incorrect->correct is shaded. A sheet without verdicts says so.
    """
    found = section(document, "s2", "curve")
    curves = {name: bins for name, bins in sorted(found.items()) if isinstance(bins, list) and bins}
    across = WIDE if len(curves) > 2 * NARROW else NARROW
    note = rests.small_print(
        "Cells are named model → human; shares of the answers that do not avoid, bins of equal size by difficulty; "
        "below a bin its range. Unsure stays in every share. Shaded: the interval of the dangerous cell.",
        resampled(section(document, "ci")),
    )
    down = max(math.ceil(len(curves) / across), 1)
    sheet = charts.sheet(charts.WIDTH, TOP + down * (HEIGHT + GAP) - 0.25 + charts.depth(note))
    sheet.heading(outputs.TITLES["figure-3"], "Share of the answers that do not avoid, by model → human.")
    if document.get("simulated") is True:
        sheet.text(charts.WIDTH - 0.15, 0.13, SIMULATED, ha="right", fontsize=10.5, fontweight="bold", color="#b23c00")
    if not curves:
        sheet.text(LEFT, TOP, "No verdicts of people, real or simulated, are part of this run.", color=charts.MUTED)
    else:
        _legend(sheet)
    width = (charts.WIDTH - LEFT - 0.15 - (across - 1) * 0.45) / across
    for place, (name, bins) in enumerate(curves.items()):
        left, top = LEFT + place % across * (width + 0.45), TOP + place // across * (HEIGHT + GAP)
        verdicts = sum(int(number(each.get("n")) or 0) for each in bins)
        sheet.above(left, top - 0.12, charts.label(name, width - 1.4))
        sheet.above(left + width, top - 0.12, f"{verdicts:,} verdicts", ha="right", fontweight="normal", **charts.FAINT)
        _panel(sheet.panel(left, top, width, HEIGHT), bins)
    sheet.small_print(note)
    return sheet


def _panel(panel: Axes, bins: Sequence[Mapping[str, Any]]) -> None:
    panel.set(xlim=(-0.5, len(bins) - 0.5), ylim=(0, 1))
    panel.set_yticks([0, 0.25, 0.5, 0.75, 1], labels=["0", "", "0.5", "", "1"])
    places = sorted({0, len(bins) // 2, len(bins) - 1})
    panel.set_xticks(places, labels=[ends(bins[at]) for at in places])
    panel.grid(axis="y")
    for cell, (_, colour, width, style) in CELLS.items():
        values = [section(each, "shares").get(cell) for each in bins]
        shares = [math.nan if number(value) is None else number(value) for value in values]
        panel.plot(
            range(len(bins)),
            shares,
            color=colour,
            linewidth=width,
            linestyle=style,
            marker="o" if width > 2 else "",
            markersize=3.5,
            clip_on=False,
            zorder=2 + width,
        )
    bounds = [interval(section(each, "shares").get("i->c")) or (math.nan, math.nan) for each in bins]
    low, high = zip(*bounds, strict=True)
    panel.fill_between(range(len(bins)), low, high, color=CELLS["i->c"][1], alpha=0.16, linewidth=0)


def _legend(sheet: charts.Sheet) -> None:
    from matplotlib.lines import Line2D  # noqa: PLC0415

    lines = [
        Line2D([], [], color=colour, linewidth=width, linestyle=style, label=name)
        for name, colour, width, style in CELLS.values()
    ]
    sheet.legend(lines, top=0.68, left=LEFT, ncols=4, handlelength=2.6, columnspacing=2.0)
