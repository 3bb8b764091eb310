"""The figures of the questions: donuts of their labels (Fig. 2A, 2B) and histograms of their lengths (2C, 2D)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from harness.kit import charts
from harness.kit.documents import number, section
from harness.studies.biomed.measures.paper_figures import PERCENTAGES
from harness.studies.biomed.pages import outputs
from harness.studies.biomed.pages.figures_basis import FigureBasis
from harness.studies.biomed.pages.figures_rows import BLUE, ORANGE, nothing
from harness.studies.biomed.terms import KINDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HALF, TOP, ROUND, LINE, HIGH = charts.WIDTH / 2, 0.7, 2.5, 0.21, 2.6  # inches
MOST = 12  # labels that have a part of their own; the rarer labels share one part
DARK = charts.COLOURS[:6]
TITLES: Mapping[str, str] = {"biological": "Biological categories", "reasoning": "Reasoning categories"}
COLOURS = (
    *DARK,
    "#7fb7d8",
    "#eaae7f",
    "#7fceb9",
    "#e5bbd2",
    "#aad9f4",
    "#f2cf7f",
    charts.LINE,
)  # then paler ones; no yellow
Label = tuple[str, float]


def labels(basis: FigureBasis) -> charts.Sheet:
    """Draw the donuts of labels from `dataset`, clockwise from the top, with the most frequent label first."""
    found = {kind: _counts(section(basis.documents.get("dataset"), "labels", kind)) for kind in KINDS}
    drawn = {kind: counts for kind, counts in found.items() if counts}
    note = basis.note(
        "A question counts once in every label it carries; percentages are of labels, not of questions.", graded=False
    )
    if not drawn:
        return nothing(outputs.TITLES[outputs.LABELS], note)
    high = max(ROUND, *(LINE * (len(counts) + 1) for counts in drawn.values()))
    sheet = charts.sheet(charts.WIDTH, TOP + high + 0.35 + charts.depth(note))
    questions = number(section(basis.documents.get("dataset")).get("n")) or 0
    sheet.heading(outputs.TITLES[outputs.LABELS], f"{questions:,.0f} questions, most of them with several labels.")
    for at, (kind, counts) in enumerate(drawn.items()):
        sheet.above(0.15 + at * HALF, TOP + 0.2, TITLES[kind])
        _donut(sheet, 0.15 + at * HALF, counts)
    sheet.small_print(note)
    return sheet


def _counts(found: Mapping[str, Any]) -> list[Label]:
    """Return labels and how often each occurs; beyond twelve labels the rarest share one part."""
    given = [(str(each.get("label", "")), number(each.get("n")) or 0.0) for each in found.get("counts") or []]
    kept = [label for label in given if label[1] > 0]
    rest = kept[MOST:]
    return [*kept[:MOST], *([(f"{len(rest)} others", math.fsum(count for _, count in rest))] if rest else [])]


def _donut(sheet: charts.Sheet, left: float, counts: Sequence[Label]) -> None:
    total = math.fsum(count for _, count in counts)
    axes = sheet.panel(left, TOP + 0.3, ROUND, ROUND)
    axes.pie(
        [count for _, count in counts],
        colors=COLOURS[: len(counts)],
        startangle=90,
        counterclock=False,
        radius=1.2,
        wedgeprops={"width": 0.5, "edgecolor": charts.PAPER, "linewidth": 1.0},
    )
    axes.text(0, 0, f"{total:,.0f}\nlabels", ha="center", va="center", color=charts.MUTED)
    for at, (name, count) in enumerate(counts):
        top = TOP + 0.3 + at * LINE
        sheet.text(left + ROUND + 0.15, top, "\N{BLACK SQUARE}", color=COLOURS[at])
        sheet.text(left + ROUND + 0.35, top, charts.label(name or "(empty)", 1.75))
        sheet.text(left + ROUND + 2.75, top, PERCENTAGES % (100 * count / total), ha="right")


def lengths(basis: FigureBasis) -> charts.Sheet:
    """Draw the histograms of the lengths of questions and gold answers from `tokens`, without outliers."""
    document = section(basis.documents.get("tokens"))
    shown = {
        title: found
        for name, title in (("question", "Questions"), ("answer", "Gold answers"))
        if (found := section(document, name, "histogram")).get("counts")
    }
    note = basis.note(
        f"Counted in {document.get('counter', 'tokens')}. Lengths beyond 1.5 interquartile ranges of the quartiles are "
        "left out as in the paper; dashed: the median of those that are kept. No smoothed line is drawn over the bars.",
        graded=False,
    )
    if not shown:
        return nothing(outputs.TITLES[outputs.LENGTHS], note)
    sheet = charts.sheet(charts.WIDTH, TOP + 0.3 + HIGH + 0.6 + charts.depth(note))
    sheet.heading(outputs.TITLES[outputs.LENGTHS], "Percent of the lengths that are kept.")
    for at, (title, found) in enumerate(shown.items()):
        left = 0.65 + at * HALF
        kept = f"{number(found.get('n_kept')) or 0:,.0f}"
        sheet.above(left, TOP + 0.2, f"{title}: {kept} kept")
        _histogram(sheet.panel(left, TOP + 0.3, HALF - 0.9, HIGH), found)
    sheet.small_print(note)
    return sheet


def _histogram(axes: Axes, found: Mapping[str, Any]) -> None:
    counts = [number(each) or 0.0 for each in found["counts"]]
    first, width, total = number(found.get("from")) or 0.0, number(found.get("width")) or 1.0, math.fsum(counts)
    middles = [first + (at + 0.5) * width - 0.5 for at in range(len(counts))]  # a whole length is a bar's middle
    heights = [100 * count / total for count in counts] if total else counts
    axes.bar(middles, heights, width, color=BLUE, edgecolor=charts.PAPER, linewidth=0.4)
    median = number(found.get("median_kept"))
    if median is not None:
        axes.axvline(median, color=ORANGE, linewidth=1.4, linestyle=(0, (4, 2)))
        right = median > (middles[0] + middles[-1]) / 2
        axes.annotate(
            str(found.get("label", "")),
            (median, 1.0),
            xycoords=("data", "axes fraction"),
            va="top",
            xytext=(-4 if right else 4, -2),
            textcoords="offset points",
            ha="right" if right else "left",
            color=ORANGE,
        )
    ticks = [tick for each in found.get("xticks") or [] if (tick := number(each)) is not None]
    axes.set_xlim(min([first - 0.5, *ticks]), max([first - 0.5 + len(counts) * width, *ticks]))
    axes.set_xticks(ticks)
    axes.set_ylim(0, 1.15 * max([1.0, *heights]))
    axes.grid(axis="y")
    axes.set_xlabel("length")
    axes.set_ylabel("%")
