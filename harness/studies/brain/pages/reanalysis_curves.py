"""The published curves over layers as panels: one line per split, a ring at the best layer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from harness.kit import charts
from harness.kit.documents import number, section
from harness.studies.brain.pages.figures_rows import BLUE, ORANGE, ends_of, nothing, spelled
from harness.studies.brain.pages.reanalysis_basis import Way, leaves
from harness.studies.brain.reanalysis import outputs
from harness.studies.brain.terms import CONTIGUOUS, SHUFFLED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = {SHUFFLED: ORANGE, CONTIGUOUS: BLUE}
LEFT, TOP, HIGH, HEAD, FOOT, ACROSS = 0.6, 0.7, 1.8, 0.5, 0.5, 3  # inches, and number of panels side by side
MOST = 30  # the most panels in a figure
NOTE = "r: Pearson's correlation of the two curves over all layers, and without layer 0; neighbouring layers are alike."


def curves(document: Mapping[str, Any]) -> charts.Sheet:
    """Draw both splits' curves of each model, data set, experiment and metric; a figure without any says so."""
    found = list(leaves(section(document, "curves"), 5))
    if not found:
        return nothing(outputs.TITLES[outputs.CURVES], NOTE)
    shown = found[:MOST]
    note = NOTE + (f" {len(found) - MOST} panels more are in the tables alone." if len(found) > MOST else "")
    width, deep = charts.WIDTH / ACROSS, math.ceil(len(shown) / ACROSS)
    sheet = charts.sheet(charts.WIDTH, TOP + deep * (HEAD + HIGH + FOOT) + charts.depth(note))
    sheet.heading(outputs.TITLES[outputs.CURVES], "The mean over participants, by layer.")
    sheet.legend(_handles(), top=0.14)
    for at, (way, entry) in enumerate(shown):
        left, top = at % ACROSS * width + LEFT, TOP + at // ACROSS * (HEAD + HIGH + FOOT) + HEAD
        room = width - LEFT - 0.15
        sheet.above(left, top - 0.25, charts.label(_title(way), room))
        sheet.above(
            left, top - 0.1, charts.label(_under(entry), room, charts.SMALL), **{**charts.FAINT, "fontweight": "normal"}
        )
        _panel(sheet.panel(left, top, room, HIGH), entry)
    sheet.small_print(note)
    return sheet


def _title(way: Way) -> str:
    _, dataset, experiment, metric, model = way
    return f"{model}, {dataset} {experiment}, {'r' if metric.startswith('pearson') else 'R2'}"


def _under(entry: Mapping[str, Any]) -> str:
    told = section(entry, "correlations")
    values = [number(section(told, name).get("pearson")) for name in ("all", "without_layer_0")]
    if values[0] is None:
        return "one split alone"
    return f"r {spelled(values[0])}" + (f", without layer 0 {spelled(values[1])}" if values[1] is not None else "")


def _panel(axes: Axes, entry: Mapping[str, Any]) -> None:
    lines = {split: _points(entry, split) for split in COLOURS}
    axes.set_ylim(ends_of([value for points in lines.values() for _, value in points]))
    axes.grid(axis="y")
    axes.set_xlabel("layer")
    axes.locator_params(axis="both", nbins=6)
    for split, points in lines.items():
        if not points:
            continue
        axes.plot(*zip(*points, strict=True), color=COLOURS[split], linewidth=1.6)
        best = max(points, key=lambda point: point[1])
        ring: Any = {"marker": "o", "markersize": 7, "markerfacecolor": "none", "markeredgecolor": COLOURS[split]}
        axes.plot([best[0]], [best[1]], linestyle="none", clip_on=False, zorder=4, **ring)


def _points(entry: Mapping[str, Any], split: str) -> list[tuple[int, float]]:
    told = section(entry, split, "scores")
    return sorted((int(layer), value) for layer, one in told.items() if (value := number(one)) is not None)


def _handles() -> list[Any]:
    from matplotlib.lines import Line2D  # noqa: PLC0415

    return [Line2D([], [], color=colour, linewidth=1.6, label=split) for split, colour in COLOURS.items()]
