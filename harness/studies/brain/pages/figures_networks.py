"""The figure of layers by network: one panel per network, one line per text model, under contiguous splits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from harness.kit import charts
from harness.kit.documents import number, section
from harness.studies.brain.measures.naming import families
from harness.studies.brain.pages import outputs
from harness.studies.brain.pages.figures_rows import ends_of, nothing
from harness.studies.brain.pages.run_basis import BrainRun, is_width
from harness.studies.brain.terms import CONTIGUOUS, NETWORKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEFT, TOP, HIGH, HEAD, FOOT, ACROSS, MOST = 0.7, 0.62, 1.8, 0.34, 0.55, 3, 24
LEGEND, KEY = 5, 0.17  # names per line of the legend; inches per line
Point = tuple[float, float]


class NetworkPanel(NamedTuple):
    """One network of one data set: the points of each text model over its layers."""

    dataset: str
    network: str
    units: float | None
    lines: Mapping[str, Sequence[Point]]


def networks(run: BrainRun) -> charts.Sheet:
    """Draw the score of every layer of every text model in each network, one panel per network and data set.

    Models that differ only in the seed of their weights share one colour; untrained models are dashed.
    """
    found = [panel for dataset in run.datasets for panel in _panels(run, dataset)]
    more = f" {len(found) - MOST} panels more are in the tables alone." if len(found) > MOST else ""
    note = f"Dashed: untrained. All panels of a data set have one axis.{run.origin()}{more}"
    if not found:
        return nothing(outputs.TITLES[outputs.NETWORKS], note)
    shown, names = found[:MOST], _labels(run, found)
    keys = list(dict.fromkeys(names.values()))
    top = TOP + KEY * math.ceil(len(keys) / LEGEND) + 0.1
    deep = math.ceil(len(shown) / ACROSS)
    sheet = charts.sheet(charts.WIDTH, top + deep * (HEAD + HIGH + FOOT) + charts.depth(note))
    sheet.heading(outputs.TITLES[outputs.NETWORKS], "R2 out of sample; 0 is the mean of the training rows.")
    looks = {key: _look(run, place, [name for name in names if names[name] == key]) for place, key in enumerate(keys)}
    sheet.legend(_handles(looks), top=TOP, left=0.15, ncols=LEGEND)
    for at, panel in enumerate(shown):
        left, up = at % ACROSS * charts.WIDTH / ACROSS + LEFT, top + at // ACROSS * (HEAD + HIGH + FOOT) + HEAD
        count = "" if panel.units is None else f", {panel.units:,.0f} units"
        sheet.above(left, up - 0.1, charts.label(f"{panel.network} in {panel.dataset}{count}", 2.5))
        alike = [
            value
            for other in shown
            if other.dataset == panel.dataset
            for points in other.lines.values()
            for _, value in points
        ]
        axes = sheet.panel(left, up, charts.WIDTH / ACROSS - LEFT - 0.15, HIGH)
        _panel(axes, panel, {name: looks[names[name]] for name in panel.lines}, alike)
    sheet.small_print(note)
    return sheet


def _panels(run: BrainRun, dataset: str) -> list[NetworkPanel]:
    scored = run.scored(dataset, CONTIGUOUS)
    members = {name: own for name, own in families(list(scored)).items() if not is_width(name)}
    known = {each for own in members.values() for one in own for each in section(scored, one.model, "networks")}
    order = [name for name in NETWORKS if name in known] + sorted(known - {*NETWORKS})
    found = []
    for network in order:
        lines = {name: _points(scored, own, network) for name, own in members.items()}
        cells = [section(scored, one.model, "networks", network) for own in members.values() for one in own]
        units = next((count for cell in cells if (count := number(cell.get("units"))) is not None), None)
        kept = {name: points for name, points in lines.items() if points}
        found += [NetworkPanel(dataset, network, units, kept)] if kept else []
    return found


def _points(scored: Mapping[str, Any], members: Sequence[Any], network: str) -> list[Point]:
    values = ((one.place, number(section(scored, one.model, "networks", network).get("r2"))) for one in members)
    return [(place, value) for place, value in values if value is not None]


def _labels(run: BrainRun, found: Sequence[NetworkPanel]) -> dict[str, str]:
    """Return each text model's name in the legend: its set of seeds, or the model itself."""
    names = dict.fromkeys(name for panel in found for name in panel.lines)
    return {name: run.set_of(name)[0] for name in sorted(names, key=lambda name: (run.is_untrained(name), name))}


def _look(run: BrainRun, place: int, members: Sequence[str]) -> dict[str, Any]:
    """Return the line style of one name of the legend."""
    drawn = any(map(run.is_untrained, members))
    style: Any = (0, (3, 2)) if drawn else "-"
    return {
        "color": charts.COLOURS[place % len(charts.COLOURS)],
        "linestyle": style,
        "linewidth": 1.1 if drawn else 1.7,
    }


def _panel(axes: Axes, panel: NetworkPanel, looks: Mapping[str, Any], values: Sequence[float]) -> None:
    axes.set_ylim(ends_of(values))
    axes.grid(axis="y")
    axes.axhline(0, color=charts.MUTED, linewidth=0.7)
    axes.set_xlabel("layer")
    axes.locator_params(axis="both", nbins=6)
    for name, points in panel.lines.items():
        axes.plot(*zip(*points, strict=True), marker="o", markersize=2.2, **looks[name])


def _handles(looks: Mapping[str, Any]) -> list[Any]:
    from matplotlib.lines import Line2D  # noqa: PLC0415

    return [Line2D([], [], label=charts.label(name, 1.7, charts.SMALL), **look) for name, look in looks.items()]
