"""The step that draws the published results: scores by participant, curves over layers, omegas, shares of tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from harness.kit import charts
from harness.kit.documents import documents, number, section
from harness.studies.brain.pages.figures_rows import BAR, BLUE, DIAMOND, DOT, ORANGE, MarkChart, MarkPanel, RowMark
from harness.studies.brain.pages.figures_rows import mark_chart as drawn
from harness.studies.brain.pages.reanalysis_basis import leaves
from harness.studies.brain.pages.reanalysis_curves import curves
from harness.studies.brain.reanalysis import outputs
from harness.studies.brain.terms import CONTIGUOUS, SHUFFLED

DOCUMENT = "reanalysis"
COLOURS = {SHUFFLED: ORANGE, CONTIGUOUS: BLUE}
SHIFTS = {SHUFFLED: -0.2, CONTIGUOUS: 0.2}
PEOPLE = ("participant", charts.INK, DOT)
BY_SPLIT = (("shuffled", ORANGE, BAR), ("contiguous", BLUE, BAR), PEOPLE)
ROW = 0.3  # inches
MOST = 40  # the most panels in a figure
THEIRS = "Values of the authors' published files; nothing here was fitted again."


def draw(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Draw every figure of the reanalysis as SVG and as PNG; a figure without values says that there is nothing."""
    document = documents(inputs, (DOCUMENT,))[DOCUMENT]
    drawers: dict[str, charts.Drawer] = {
        outputs.R2: partial(scores, document, outputs.R2, "out_of_sample_r2"),
        outputs.PEARSON: partial(scores, document, outputs.PEARSON, "pearson_r"),
        outputs.CURVES: partial(curves, document),
        outputs.OMEGAS: partial(omegas, document),
        outputs.TESTS: partial(tests, document),
    }
    charts.draw(drawers, out, outputs.title)


def scores(document: Mapping[str, Any], stem: str, metric: str) -> charts.Sheet:
    """Draw the tables' means and participants, with both splits in a row, one panel per figure and data set."""
    panels: dict[str, dict[str, list[RowMark]]] = {}
    for (figure, dataset, own, split, model), found in leaves(section(document, "participants"), 5):
        if own.startswith(metric):
            without = ", no L2" if own != metric else ""
            marks = panels.setdefault(f"{figure}, {dataset}{without}", {})
            marks.setdefault(model, []).append(_mark(found, split))
    return _chart(stem, "The mean over participants.", panels, BY_SPLIT)


def omegas(document: Mapping[str, Any]) -> charts.Sheet:
    """Draw the omegas of each data set and pooling, one panel per figure."""
    panels: dict[str, dict[str, list[RowMark]]] = {}
    for (figure, dataset, pooling), found in leaves(section(document, "omegas"), 3):
        dots = tuple(filter(None, map(number, section(found, "published").values())))
        kept = number(found.get("without_empty")) if found.get("empty") else None
        mark = RowMark(number(found.get("mean")), BLUE, dots=dots, diamond=kept)
        panels.setdefault(figure, {})[f"{dataset}, {pooling}"] = [mark]
    legend = (PEOPLE, ("without participants of L \N{LESS-THAN OR EQUAL TO} 0", charts.INK, DIAMOND))
    return _chart(outputs.OMEGAS, "Percent of what a language model explains.", panels, legend, (0.0, 100.0))


def tests(document: Mapping[str, Any]) -> charts.Sheet:
    """Draw the shares of units below .05, raw and corrected, one panel per figure, data set and split."""
    panels: dict[str, dict[str, list[RowMark]]] = {}
    words = {"with_model": "with the model", "model_alone": "model alone"}
    for (figure, dataset, split, level, pooling), found in leaves(section(document, "tests"), 5):
        for name, told in words.items():
            own = section(found, name)
            marks = [
                RowMark(number(own.get(key)), colour, shift)
                for key, colour, shift in (("raw_percent", ORANGE, -0.2), ("fdr_percent", BLUE, 0.2))
                if own and own.get(key) is not None
            ]
            if marks:
                panels.setdefault(f"{figure}, {dataset}, {split}", {})[f"{told}, {level}, {pooling}"] = marks
    legend = (("p < .05", ORANGE, BAR), ("after FDR", BLUE, BAR))
    return _chart(outputs.TESTS, "Percent of the language network's units.", panels, legend, (0.0, 100.0))


def _mark(found: Mapping[str, Any], split: str) -> RowMark:
    dots = tuple(one for value in section(found, "published").values() if (one := number(value)) is not None)
    return RowMark(number(found.get("mean")), COLOURS.get(split, charts.MUTED), SHIFTS.get(split, 0.0), dots=dots)


def _chart(
    stem: str,
    under: str,
    panels: Mapping[str, Mapping[str, Sequence[RowMark]]],
    legend: Sequence[tuple[str, str, str]],
    limits: tuple[float, float] = (-1.0, 1.0),
) -> charts.Sheet:
    rows = list(dict.fromkeys(name for marks in panels.values() for name in marks))
    made = [MarkPanel(title, "", marks) for title, marks in panels.items()][:MOST]
    more = f" {len(panels) - MOST} panels more are in the tables alone." if len(panels) > MOST else ""
    chart = MarkChart(
        outputs.TITLES[stem], under, rows, made, THEIRS + more, row=ROW, limits=limits, legend=legend, columns=2
    )
    return drawn(chart)
