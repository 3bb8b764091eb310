"""The curves over layers of text models and over widths of OASM: a panel per data set and family, a line per split."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.kit import charts
from harness.kit.documents import number, section
from harness.studies.brain.measures.naming import member
from harness.studies.brain.pages import outputs
from harness.studies.brain.pages.figures_rows import ends_of, nothing
from harness.studies.brain.pages.figures_scores import COLOURS
from harness.studies.brain.pages.run_basis import BrainRun, curve, is_width
from harness.studies.brain.terms import SPLITS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEFT, TOP, HIGH, HEAD, FOOT, ACROSS = 0.7, 0.7, 1.9, 0.34, 0.55, 3  # inches, and number of panels side by side
MOST = 24  # the most panels in a figure
Point = tuple[float, float]


@dataclass(frozen=True)
class Curve:
    """The points of one family under one split, each participant's own points, and the two chosen points."""

    split: str
    points: tuple[Point, ...]
    participants: tuple[tuple[Point, ...], ...]
    chosen: Point | None  # on test data
    nested: Point | None  # inside the training folds, at the place that most folds chose


def layers(run: BrainRun) -> charts.Sheet:
    """Draw the score of each layer of each text model, by split; untrained models come last."""
    found = [(dataset, name) for dataset in run.datasets for name in run.families(dataset) if not is_width(name)]
    return _curves(run, outputs.LAYERS, "layer", sorted(found, key=lambda pair: run.is_untrained(pair[1])))


def sigmas(run: BrainRun) -> charts.Sheet:
    """Draw the score of OASM, and of other features without a text, by their width, by split."""
    found = [(dataset, name) for dataset in run.datasets for name in run.families(dataset) if is_width(name)]
    return _curves(run, outputs.SIGMAS, "width", found)


def _curves(run: BrainRun, stem: str, across: str, wanted: Sequence[tuple[str, str]]) -> charts.Sheet:
    found = [(pair, curves) for pair in wanted if (curves := _read(run, *pair))]
    more = f" {len(found) - MOST} panels more are in the tables alone." if len(found) > MOST else ""
    note = (
        "Thick: mean over participants; thin: each of them. The ring is the highest on test data, the diamond the "
        f"score of the choice inside the training folds (OURS), at the place that most folds chose.{run.origin()}{more}"
    )
    if not found:
        return nothing(outputs.TITLES[stem], note)
    shown = found[:MOST]
    columns = min(max(len(shown), 2), ACROSS)
    width, deep = charts.WIDTH / columns, math.ceil(len(shown) / columns)
    sheet = charts.sheet(charts.WIDTH, TOP + deep * (HEAD + HIGH + FOOT) + charts.depth(note))
    sheet.heading(outputs.TITLES[stem], "R2 out of sample; 0 is the mean of the training rows.")
    sheet.legend(_handles(), top=0.14)
    for at, ((dataset, family), curves) in enumerate(shown):
        left, top = at % columns * width + LEFT, TOP + at // columns * (HEAD + HIGH + FOOT) + HEAD
        sheet.above(left, top - 0.1, charts.label(f"{family} in {run.title(dataset)}", 0.78 * width))
        _panel(sheet.panel(left, top, width - LEFT - 0.15, HIGH), curves, across)
    sheet.small_print(note)
    return sheet


def _read(run: BrainRun, dataset: str, family: str) -> list[Curve]:
    """Return the curves of a family, without splits that have no finite point."""
    made = [_curve(run, dataset, split, family) for split in SPLITS]
    return [each for each in made if each.points]


def _curve(run: BrainRun, dataset: str, split: str, family: str) -> Curve:
    rows = [row for row in curve(run.choice(dataset, split, family)) if _place(row) is not None]
    rows = sorted(rows, key=lambda row: _place(row) or 0.0)
    best = run.score(dataset, split, family)
    own: dict[str, list[Point]] = {}
    for row in rows:
        each = row.get("r2_by_participant")
        for name, value in each.items() if isinstance(each, dict) else enumerate(each or []):
            if (known := number(value)) is not None:
                own.setdefault(str(name), []).append((_place(row) or 0.0, known))
    points = tuple((_place(row) or 0.0, value) for row in rows if (value := number(row.get("r2"))) is not None)
    place = _place({"model": best.model})
    chosen = None if place is None or best.value is None else (place, best.value)
    return Curve(split, points, tuple(map(tuple, own.values())), chosen, _nested(run, dataset, split, family))


def _nested(run: BrainRun, dataset: str, split: str, family: str) -> Point | None:
    """Return the score of the choice inside the training folds, at the place that most folds chose."""
    found = section(run.choice(dataset, split, family), "nested")
    names = found.get("chosen") if isinstance(found.get("chosen"), list) else []
    places = [place for name in names or () if (place := _place({"model": name})) is not None]
    value = number(found.get("r2"))
    return (Counter(places).most_common(1)[0][0], value) if places and value is not None else None


def _place(row: Any) -> float | None:
    """Return the layer or width in a model's name, or None."""
    found = member(str(row.get("model", "")))
    return None if found is None else found.place


def _panel(axes: Axes, curves: Sequence[Curve], across: str) -> None:
    values = [value for one in curves for points in (one.points, *one.participants) for _, value in points]
    axes.set_ylim(ends_of(values))
    axes.grid(axis="y")
    axes.axhline(0, color=charts.MUTED, linewidth=0.7)
    axes.set_xlabel(across)
    axes.locator_params(axis="both", nbins=6)
    for one in curves:
        colour = COLOURS[one.split]
        for points in one.participants:
            axes.plot(*zip(*points, strict=True), color=colour, linewidth=0.6, alpha=0.4)
        axes.plot(*zip(*one.points, strict=True), color=colour, linewidth=1.8, marker="o", markersize=2.6, zorder=3)
        if one.chosen:
            ring: Any = {"marker": "o", "markersize": 8, "markerfacecolor": "none", "markeredgecolor": colour}
            axes.plot([one.chosen[0]], [one.chosen[1]], linestyle="none", zorder=4, clip_on=False, **ring)
        if one.nested:
            nested: Any = {"marker": "D", "markersize": 5, "markerfacecolor": charts.PAPER, "markeredgecolor": colour}
            axes.plot([one.nested[0]], [one.nested[1]], linestyle="none", zorder=5, clip_on=False, **nested)


def _handles() -> list[Any]:
    from matplotlib.lines import Line2D  # noqa: PLC0415

    return [Line2D([], [], color=COLOURS[split], linewidth=1.8, label=split) for split in reversed(SPLITS)]
