"""The figure of the tests' size: how often they find something on simulated recordings without any effect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.kit import charts
from harness.kit.documents import number, section
from harness.studies.brain.measures.families import ALPHA
from harness.studies.brain.measures.levels import LEVELS
from harness.studies.brain.pages import outputs
from harness.studies.brain.pages.figures_rows import BLUE, DIAMOND, DOT, MarkChart, MarkPanel, RowMark, mark_chart
from harness.studies.brain.pages.run_basis import BrainRun
from harness.studies.brain.pages.verdicts import NULLS, RELATIONS
from harness.studies.brain.terms import SPLITS


def sizes(run: BrainRun) -> charts.Sheet:
    """Draw from `sizes` the share of units below .05, and of families with a hit after FDR, by data set and split."""
    document = run.document("sizes")
    panels = [
        MarkPanel(f"{name}, {split}", "", _marks(section(document, name, split)))
        for name in document
        for split in SPLITS
        if section(document, name, split)
    ]
    rows = [_row(null, relation, level) for null in NULLS for relation in RELATIONS for level in LEVELS]
    note = (
        "Simulated recordings in which neither model predicts anything; exchangeable: rows in any order; "
        "autocorrelated: neighbouring rows alike. Nested: one model holds the other; equal: they are of one "
        "size, and neither holds the other; intercept: one model against the training mean. Dashed: the promised 5 %."
    )
    legend = (("units with p < .05", BLUE, DOT), ("families with any hit after FDR", charts.INK, DIAMOND))
    chart = MarkChart(
        outputs.TITLES[outputs.SIZES],
        "Shares from 0 to 1.",
        rows,
        panels,
        note,
        row=0.24,
        limits=(0.0, 1.0),
        guide=ALPHA,
        legend=legend,
    )
    return mark_chart(chart)


def _row(null: str, relation: str, level: str) -> str:
    return f"{null}, {relation}: {level}"


def _marks(found: Mapping[str, Any]) -> dict[str, list[RowMark]]:
    marks = {}
    for null in NULLS:
        for relation in RELATIONS:
            for level in LEVELS:
                own = section(found, null, relation, level)
                mark = RowMark(number(own.get("raw")), BLUE, shape=DOT, diamond=number(own.get("family")))
                marks[_row(null, relation, level)] = [mark]
    return marks
