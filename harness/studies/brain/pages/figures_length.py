"""The figure of the check whether sums over tokens of an untrained model reveal a sentence's length."""

from __future__ import annotations

from collections.abc import Mapping

from harness.kit import charts
from harness.kit.documents import number, section
from harness.studies.brain.pages import outputs
from harness.studies.brain.pages.figures_rows import BAR, BLUE, DOT, ORANGE, MarkChart, MarkPanel, RowMark, mark_chart
from harness.studies.brain.pages.run_basis import BrainRun

POOLS: Mapping[str, tuple[str, float]] = {"sum": (ORANGE, -0.2), "mean": (BLUE, 0.2)}
VARIANTS: Mapping[str, str] = {
    "gelu": "GELU, without positions",
    "odd": "odd function, without positions",
    "centred": "GELU less its mean, without positions",
    "as_drawn": "GELU, with positions",
    "as_drawn_odd": "odd function, with positions",
}


def variant(name: str) -> str:
    """Return the name of a variant of the small model in words; an unknown name is unchanged."""
    return VARIANTS.get(name, name)


def ordered(document: Mapping[str, object]) -> list[str]:
    """Return the variants of `length_check`, those that isolate the argument first."""
    found = list(section(document, "variants"))
    return sorted(found, key=lambda name: ([*VARIANTS].index(name) if name in VARIANTS else len(VARIANTS), name))


def length(run: BrainRun) -> charts.Sheet:
    """Draw how well the length is decoded from sums and from means over tokens, one row per variant; least to most."""
    document = run.document("length_check")
    rows: dict[str, list[RowMark]] = {}
    for name in ordered(document):
        for pool, (colour, shift) in POOLS.items():
            own = section(document, "variants", name, pool)
            ends = [each for side in ("least", "most") if (each := number(own.get(side))) is not None]
            mark = RowMark(number(own.get("least")), colour, shift, dots=tuple(ends))
            rows.setdefault(variant(name), []).append(mark)
    note = (
        "R2 out of sample of the number of tokens, decoded from a layer's states. Bar: the least over seeds and layers "
        "above the embedding; dots: least and most. With positions the length is there whatever the function. A small "
        "model with random weights that read random tokens (OURS)."
    )
    legend = (("sum over tokens", ORANGE, BAR), ("mean over tokens", BLUE, BAR), ("least and most", charts.INK, DOT))
    title, under = outputs.TITLES[outputs.LENGTH], "R2 out of sample of the length; 0 is the mean of the training rows."
    panel = MarkPanel("Length of random sentences", "", rows)
    return mark_chart(MarkChart(title, under, list(rows), [panel], note, columns=1, legend=legend))
