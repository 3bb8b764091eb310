"""The figure of proteins by length (Fig. 35): a box plot over bins that hold equally many records.

As in the paper the values of all models are pooled in a box. Stand-ins are not pooled, since a model that is always
right and one that never is make no box that means anything: each has a line through its means. Draws given values and
computes none. Sees no sequences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from harness.kit import charts
from harness.kit.documents import ends, number, reason, section, span
from harness.studies.curie.pages import outputs
from harness.studies.curie.pages.figures_rows import COLOURS, PLAIN, empty
from harness.studies.curie.pages.run_facts import HUNDRED, METRICS, RunFacts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEFT, TOP, HEIGHT, FOOT = 0.75, 0.85, 3.0, 0.7  # inches
STEM = "figure-length"
MARKS = "osD^vPX*"  # of the lines, which must be told apart without colour


def length(run: RunFacts, document: Mapping[str, Any]) -> charts.Sheet:
    """Draw Fig. 35 from `slices`: a box for each bin of lengths, or a line for each model where some are stand-ins.

    If no protein has a length, the sheet says why.
    """
    found = section(document, "length")
    bins: Sequence[Mapping[str, Any]] = found.get("bins") or []
    boxes = {at: box for at, each in enumerate(bins) if (box := _box(each))}
    if not boxes:
        return empty(outputs.TITLES[STEM], f"Why: {reason(document.get('length'))}.")
    metric = METRICS.get(str(found.get("metric")), str(found.get("metric")))
    under = f"{metric}, 0 to 100, in {len(bins)} bins of equally many records."
    if any(run.is_stand_in(name) for name in run.models):
        note = (
            "A mark: the mean of a model's values in the bin. Stand-ins are among the models, so none are pooled, and "
            "cheap strategies are left out. Below: residues of the shortest and the longest gold sequence of the bin. "
            "The bins are OURS."
        )
        sheet, axes = _sheet(under, note)
        sheet.legend(_lines(axes, run, bins))
        _frame(axes, bins)
        return sheet
    models = len(document.get("models") or [])
    note = (
        f"Box: 25th to 75th percentile of the records' values, line: median; whiskers end at the last value within 1.5 "
        f"box lengths. All {models} models pooled, cheap strategies left out. Below: residues of the shortest and the "
        "longest gold sequence of the bin. Ties stand in the order of ids, and values beyond the whiskers are counted "
        f"and not drawn: {sum(int(number(each.get('outliers')) or 0) for each in bins)}. The bins are OURS."
    )
    sheet, axes = _sheet(under, note)
    colour = COLOURS[PLAIN]
    axes.bxp(
        list(boxes.values()),
        positions=list(boxes),
        widths=0.6,
        showfliers=False,
        patch_artist=True,
        boxprops={"facecolor": colour, "alpha": 0.35, "edgecolor": colour},
        medianprops={"color": charts.INK, "linewidth": 1.4},
        whiskerprops={"color": colour},
        capprops={"color": colour},
    )
    lowest = min([0.0, *(box["whislo"] for box in boxes.values())])
    axes.set_ylim(1.05 * lowest, max([102.0, *(1.02 * box["whishi"] for box in boxes.values())]))
    _frame(axes, bins)
    return sheet


def _sheet(under: str, note: str) -> tuple[charts.Sheet, Axes]:
    """Return the sheet with its words, and its panel."""
    sheet = charts.sheet(charts.WIDTH, TOP + HEIGHT + FOOT + charts.depth(note))
    sheet.heading(outputs.TITLES[STEM], under)
    sheet.small_print(note)
    return sheet, sheet.panel(LEFT, TOP, charts.WIDTH - LEFT - 0.2, HEIGHT)


def _frame(axes: Axes, bins: Sequence[Mapping[str, Any]]) -> None:
    """Set the bins along the lower edge, after boxes were drawn, which set ticks of their own."""
    axes.set_xlim(-0.6, len(bins) - 0.4)
    axes.set_xticks(range(len(bins)), labels=[_range(each) for each in bins])
    axes.grid(axis="y")
    axes.set_xlabel("residues of the gold sequence")


def _lines(axes: Axes, run: RunFacts, bins: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Draw a line for each model that has a value in some bin; return the lines, labelled."""
    drawn = []
    for place, name in enumerate(run.models):
        means = [number(section(each, "models", name)) for each in bins]
        known = [(at, HUNDRED * value) for at, value in enumerate(means) if value is not None]
        if known:
            look: dict[str, Any] = {
                "color": charts.COLOURS[place % len(charts.COLOURS)],
                "marker": MARKS[place % len(MARKS)],
                "markersize": 5,
            }
            drawn += axes.plot(*zip(*known, strict=True), label=name, linewidth=1.1, alpha=0.85, **look)
    values = [float(value) for line in drawn for value in line.get_ydata()]
    axes.set_ylim(min(-3.0, 1.05 * min(values)), max(103.0, 1.02 * max(values)))
    return drawn


def _box(found: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return one box in the form matplotlib takes; None if no model has a value in the bin."""
    quartiles = [number(found.get(name)) for name in ("q25", "median", "q75")]
    whiskers = span(found.get("whiskers"))
    if whiskers is None or None in quartiles:
        return None
    low, middle, high = (HUNDRED * (value or 0.0) for value in quartiles)
    ends_at = min(low, HUNDRED * whiskers[0]), max(high, HUNDRED * whiskers[1])  # a whisker may end inside the box
    return {"q1": low, "med": middle, "q3": high, "whislo": ends_at[0], "whishi": ends_at[1]}


def _range(found: Mapping[str, Any]) -> str:
    return ends(found).replace("\N{EN DASH}", "\N{EN DASH}\n")
