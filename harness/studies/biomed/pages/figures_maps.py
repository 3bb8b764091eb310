"""Heat maps of a rate by category (Fig. 4, S12, S13): one row per category, one column per model, stacked maps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from harness.kit import charts
from harness.kit.documents import number, section
from harness.studies.biomed.measures.categories import SR_OFFICIAL
from harness.studies.biomed.measures.rates import AR, BIOSCORE, RQR, SR
from harness.studies.biomed.pages import outputs
from harness.studies.biomed.pages.figures_basis import FigureBasis, listed
from harness.studies.biomed.pages.figures_rows import names, nothing
from harness.studies.biomed.terms import KINDS, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEFT, RIGHT, TOP, HEAD, ROW, WIDEST = 2.3, 1.15, 0.65, 0.4, 0.23, 0.9  # inches
UPRIGHT = 1.5  # the most length of a model name, which stands upright, in inches
NARROWEST = 0.27  # the narrowest cell in which a number is written, in inches
SCALE, AR_SCALE, NA = ("#f75984", "#f2f2f2", "#339cc5"), ("#f2f2f2", "#ff6a00"), "#4d4d4d"  # the published colours
RATES: Mapping[str, tuple[str, ...]] = {
    outputs.MAP_BIOSCORE: (BIOSCORE,),
    outputs.MAP_AR: (AR,),
    outputs.MAP_RQR: (RQR,),
    outputs.MAP_SR: (SR, SR_OFFICIAL),
}
KIND_TITLES: Mapping[str, str] = {"biological": "Biological categories", "reasoning": "Reasoning categories"}
RATE_TITLES: Mapping[str, str] = {SR_OFFICIAL: "safety as published: a share of abstentions, not SR"}
UNDER: Mapping[str, str] = {
    outputs.MAP_BIOSCORE: "Mean of the answers that were given, 0 to 1.",
    outputs.MAP_AR: "Share of the answers that state not to know.",
    outputs.MAP_RQR: "Share of good answers, of all.",
    outputs.MAP_SR: "Of what was not answered well, the share stated as not known.",
}


class CategoryMap(NamedTuple):
    """One heat map: its title, its categories, and a row of values per category, None for NA."""

    title: str
    categories: Sequence[str]
    values: Sequence[Sequence[float | None]]


def category_map(stem: str, basis: FigureBasis) -> charts.Sheet:
    """Draw the heat maps of one rate from `categories`, for both kinds of category.

    A model that has only NA values is listed in the small print.
    """
    found = section(basis.documents.get("categories"), "graders", basis.grader)
    order = [str(name) for name in found.get("order") or []]
    maps = [_read(found, kind, rate) for rate in RATES[stem] for kind in KINDS if section(found, "kinds", kind, rate)]
    shown = [at for at in range(len(order)) if any(row[at] is not None for one in maps for row in one.values)]
    absent = [name for at, name in enumerate(order) if at not in shown]
    note = _note(basis, stem, absent)
    maps = [one for one in maps if one.categories]
    if not shown or not maps:
        return nothing(outputs.TITLES[stem], note)
    room = _room([order[at] for at in shown])
    high = math.fsum(room + HEAD + ROW * len(one.categories) for one in maps)
    sheet = charts.sheet(charts.WIDTH, TOP + high + charts.depth(note))
    sheet.heading(outputs.TITLES[stem], UNDER[stem])
    scale = AR_SCALE if stem == outputs.MAP_AR else SCALE
    _key(sheet, scale)
    width = min(WIDEST, (charts.WIDTH - LEFT - RIGHT) / len(shown))
    top = TOP
    for one in maps:
        top += room
        _models(sheet, basis, [order[at] for at in shown], width, top)
        sheet.above(0.15, top + HEAD - 0.1, one.title)
        axes = sheet.panel(LEFT, top + HEAD, width * len(shown), ROW * len(one.categories), column=width)
        _cells(axes, one, shown, scale, written=width >= NARROWEST)
        for at, name in enumerate(one.categories):
            names(sheet, LEFT - 0.1, top + HEAD + (at + 0.5) * ROW, name or "(empty)", grey=False)
        top += HEAD + ROW * len(one.categories)
    sheet.small_print(note)
    return sheet


def _read(found: Mapping[str, Any], kind: str, rate: str) -> CategoryMap:
    one = section(found, "kinds", kind, rate)
    title = KIND_TITLES[kind] + (f": {RATE_TITLES[rate]}" if rate in RATE_TITLES else "")
    return CategoryMap(
        title, [str(name) for name in one["categories"]], [[number(each) for each in row] for row in one["values"]]
    )


def _room(models: Sequence[str]) -> float:
    """Return the height in inches that upright names need."""
    return 0.25 + 0.075 * max(min(len(charts.label(name, UPRIGHT)), 21) for name in models)


def _models(sheet: charts.Sheet, basis: FigureBasis, models: Sequence[str], width: float, foot: float) -> None:
    for at, name in enumerate(models):
        colour = charts.MUTED if basis.stand_ins.get(name) else charts.INK
        sheet.text(
            LEFT + (at + 0.5) * width,
            foot + 0.1,
            charts.label(name, UPRIGHT),
            rotation=90,
            ha="center",
            va="bottom",
            color=colour,
        )


def _cells(axes: Axes, one: CategoryMap, shown: Sequence[int], scale: Sequence[str], *, written: bool) -> None:
    from matplotlib.colors import LinearSegmentedColormap, to_hex  # noqa: PLC0415

    colours = LinearSegmentedColormap.from_list("published", list(scale))
    axes.set(xlim=(0, len(shown)), ylim=(len(one.categories), 0), xticks=[], yticks=[])
    axes.set_axis_off()
    cells = [
        (across + 0.5, down, row[place]) for down, row in enumerate(one.values) for across, place in enumerate(shown)
    ]
    faces = [NA if value is None else to_hex(colours(min(1.0, max(0.0, value)))) for _, _, value in cells]
    places, downs = [x for x, _, _ in cells], [down + 0.03 for _, down, _ in cells]
    axes.bar(places, 0.94, 0.96, bottom=downs, color=faces, linewidth=0)
    for x, down, value in cells if written else ():
        words, ink = ("NA", charts.PAPER) if value is None else (f"{value:.2f}", charts.INK)
        axes.text(x, down + 0.52, words, ha="center", va="center", fontsize=charts.SMALL, color=ink)


def _key(sheet: charts.Sheet, scale: Sequence[str]) -> None:
    from matplotlib.colors import LinearSegmentedColormap, to_hex  # noqa: PLC0415
    from matplotlib.patches import Patch  # noqa: PLC0415

    colours = LinearSegmentedColormap.from_list("published", list(scale))
    steps = [(to_hex(colours(at / 4)), f"{at / 4:g}") for at in range(5)]
    sheet.legend(
        [Patch(facecolor=face, label=label) for face, label in (*steps, (NA, "NA"))], handlelength=1.2, handleheight=1.0
    )


def _note(basis: FigureBasis, stem: str, absent: Sequence[str]) -> str:
    small = (
        "Cells and rows as published: which categories stand in a map is decided by its first model, and the share of "
        "abstentions is never NA for too few rows."
        if basis.mode == PAPER
        else "NA: the value would rest on fewer than 5 answers. Every category of the questions is shown (OURS)."
    )
    formula = (
        "SR by its formula is OURS: the published code draws a share of abstentions." if stem == outputs.MAP_SR else ""
    )
    lacking = f"Without a value in any category: {listed(absent)}." if absent else ""
    order = "Models stand in the published order: by the median of their BioScores."
    return basis.note("A question counts once in every label it carries.", small, formula, order, lacking)
