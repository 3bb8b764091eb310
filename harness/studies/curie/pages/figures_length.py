"""The figure of proteins by length (Fig. 35): a box plot over bins that hold equally many records.

It knows quartiles and bins; it must never know a sequence, nor compute a quartile itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.kit import charts
from harness.kit.documents import ends, number, reason, section, span
from harness.studies.curie.pages import outputs
from harness.studies.curie.pages.figures_rows import COLOURS, PLAIN, empty
from harness.studies.curie.pages.run_facts import HUNDRED, METRICS

LEFT, TOP, HEIGHT, FOOT = 0.75, 0.85, 3.0, 0.7  # inches
STEM = "figure-length"


def length(document: Mapping[str, Any]) -> charts.Sheet:
    """Draw Fig. 35 from `slices`: a box for each bin of lengths; where no protein has a length, the sheet says why."""
    found = section(document, "length")
    bins: Sequence[Mapping[str, Any]] = found.get("bins") or []
    boxes = {at: box for at, each in enumerate(bins) if (box := _box(each))}
    if not boxes:
        return empty(outputs.TITLES[STEM], f"Why: {reason(document.get('length'))}.")
    metric = METRICS.get(str(found.get("metric")), str(found.get("metric")))
    models = len(document.get("models") or [])
    note = (
        f"Box: 25th to 75th percentile of the records' values, line: median; whiskers end at the last value within 1.5 "
        f"box lengths. All {models} models pooled, cheap strategies left out. Below: residues of the shortest and the "
        "longest gold sequence of the bin. Ties stand in the order of ids, and values beyond the whiskers are counted "
        f"and not drawn: {sum(int(number(each.get('outliers')) or 0) for each in bins)}. The bins are OURS."
    )
    sheet = charts.sheet(charts.WIDTH, TOP + HEIGHT + FOOT + charts.depth(note))
    sheet.heading(outputs.TITLES[STEM], f"{metric}, 0 to 100, in {len(bins)} bins of equally many records.")
    axes = sheet.panel(LEFT, TOP, charts.WIDTH - LEFT - 0.2, HEIGHT)
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
    axes.set_xlim(-0.6, len(bins) - 0.4)
    axes.set_xticks(range(len(bins)), labels=[_range(each) for each in bins])
    lowest = min([0.0, *(box["whislo"] for box in boxes.values())])
    axes.set_ylim(1.05 * lowest, max([102.0, *(1.02 * box["whishi"] for box in boxes.values())]))
    axes.grid(axis="y")
    axes.set_xlabel("residues of the gold sequence")
    sheet.small_print(note)
    return sheet


def _box(found: Mapping[str, Any]) -> dict[str, Any] | None:
    """Give one box as matplotlib takes it; None where no model has a value in the bin."""
    quartiles = [number(found.get(name)) for name in ("q25", "median", "q75")]
    whiskers = span(found.get("whiskers"))
    if whiskers is None or None in quartiles:
        return None
    low, middle, high = (HUNDRED * (value or 0.0) for value in quartiles)
    ends_at = min(low, HUNDRED * whiskers[0]), max(high, HUNDRED * whiskers[1])  # of few values one may lie inside
    return {"q1": low, "med": middle, "q3": high, "whislo": ends_at[0], "whishi": ends_at[1]}


def _range(found: Mapping[str, Any]) -> str:
    return ends(found).replace("\N{EN DASH}", "\N{EN DASH}\n")
