"""The figures of the findings of each language model: time against it, and starred models with and without it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.kit import charts
from harness.kit.documents import number, section
from harness.studies.brain.measures.aggregation import AveragedScore, aggregate
from harness.studies.brain.measures.fits import SplitFits
from harness.studies.brain.pages import outputs
from harness.studies.brain.pages.figures_rows import (
    BAR,
    BLUE,
    DIAMOND,
    DOT,
    GREEN,
    ORANGE,
    MarkChart,
    MarkPanel,
    RowMark,
    mark_chart,
    spelled,
)
from harness.studies.brain.pages.joint_models import joint_models
from harness.studies.brain.pages.run_basis import BrainRun, rows_of
from harness.studies.brain.pages.unit_scores import MeasuredUnits, best_of
from harness.studies.brain.terms import CONTIGUOUS, SHUFFLED

UNDER = "R2 out of sample of the language network; 0 is the mean of the training rows."
MOST = 40  # the most rows in a figure


def time(run: BrainRun) -> charts.Sheet:
    """Draw OASM, each language model alone, and both together under shuffled splits, one panel per data set."""
    panels = []
    for dataset in run.datasets:
        marks: dict[str, list[RowMark]] = {}
        for name, own in run.findings(dataset).items():
            told = section(own, "time")
            alone, ratio = number(section(own, "alone", SHUFFLED).get("r2")), number(told.get("ratio_percent"))
            if told:
                words = name if ratio is None else f"{name}: OASM {_share(ratio)}"
                marks[words] = [
                    RowMark(number(told.get("oasm_r2")), ORANGE, -0.29, thick=0.25),
                    RowMark(alone, BLUE, thick=0.25),
                    RowMark(number(told.get("star_r2")), GREEN, 0.29, thick=0.25),
                ]
        panels.append(MarkPanel(run.title(dataset), "shuffled splits", marks))
    note = (
        "OASM in per cent of the language model is by participants; by units it stands in the table. *: in "
        f"each unit the higher of the model with and without OASM, on test data.{run.origin()}"
    )
    legend = (("OASM", ORANGE, BAR), ("language model", BLUE, BAR), ("OASM + language model*", GREEN, BAR))
    return _chart(run, outputs.TIME, panels, note, legend, row=0.5, columns=1)


def starred(run: BrainRun) -> charts.Sheet:
    """Draw the starred score of each row of features with and without a language model, per data set and model."""
    panels = []
    for dataset in run.datasets:
        for name, own in run.findings(dataset).items():
            marks = {str(row): _with_and_without(each) for row, each in rows_of(own, "starred").items()}
            panels.append(MarkPanel(f"{name} in {run.title(dataset)}", _correlations(own), marks))
    note = (
        "A starred score is in each unit the highest of many subsets on test data. r: Pearson's correlation over units "
        f"of the language network, best without against best with.{run.origin()}"
    )
    legend = (
        ("without", BLUE, BAR),
        ("with the language model", ORANGE, BAR),
        ("chosen in training folds", charts.INK, DIAMOND),
    )
    return _chart(run, outputs.STARRED, panels, note, legend)


def added(run: BrainRun, found: MeasuredUnits) -> charts.Sheet:
    """Draw from the fits the simple spaces alone and with each language model, with a dot for each participant."""
    panels = [
        MarkPanel(run.title(own.dataset), "contiguous splits", _added(run, own))
        for own in found.splits
        if own.split == CONTIGUOUS
    ]
    note = f"*: in each unit the highest of several subsets on test data.{run.origin()}"
    legend = (
        ("simple", charts.MUTED, BAR),
        ("with a trained model", ORANGE, BAR),
        ("an untrained one", BLUE, BAR),
        ("participant", charts.INK, DOT),
    )
    return _chart(run, outputs.ADDED, panels, note, legend)


def _chart(
    run: BrainRun,
    stem: str,
    panels: list[MarkPanel],
    note: str,
    legend: tuple[tuple[str, str, str], ...],
    *,
    row: float = 0.36,
    columns: int = 2,
) -> charts.Sheet:
    every = list(dict.fromkeys(name for panel in panels for name in panel.marks))
    more = f" {len(every) - MOST} rows more are in the tables alone." if len(every) > MOST else ""
    told = f"{note} Generation {charts.label(run.generation)}.{more}"
    return mark_chart(MarkChart(outputs.TITLES[stem], UNDER, every[:MOST], panels, told, row, columns, legend=legend))


def _share(percent: float) -> str:
    """Format a ratio in per cent, or as a multiple if it is ten or more."""
    return f"{spelled(percent, 1)} %" if abs(percent) < 1000 else f"{percent / 100:,.1f} times"


def _with_and_without(own: Mapping[str, Any]) -> list[RowMark]:
    return [
        RowMark(number(own.get(side)), colour, shift, diamond=number(own.get(f"nested_{side}")))
        for side, colour, shift in (("without", BLUE, -0.2), ("with", ORANGE, 0.2))
    ]


def _correlations(own: Mapping[str, Any]) -> str:
    """Return the correlation of each row as text, in the order of the rows."""
    found = [number(each.get("correlation")) for each in rows_of(own, "starred").values()]
    known = ["\N{EM DASH}" if each is None else spelled(each) for each in found]
    return f"r = {', '.join(known)}, row by row" if any(each is not None for each in found) else ""


def _added(run: BrainRun, own: SplitFits) -> dict[str, list[RowMark]]:
    """Return the marks of the simple spaces and, below them, of each language model that was fitted with them."""
    joints = joint_models(own.models, own.text_models, simple=True)
    marks: dict[str, list[RowMark]] = {}
    for joint in sorted(joints, key=lambda one: run.is_untrained(one.model)):
        several = "*" if len(joint.without) > 1 else ""
        marks.setdefault(f"{joint.base}{several}", [_mark(_averaged(own, run, joint.without), charts.MUTED)])
        colour = BLUE if run.is_untrained(joint.model) else ORANGE
        marks[f"{joint.base}+{joint.model}*"] = [_mark(_averaged(own, run, joint.with_it), colour)]
    return marks


def _averaged(own: SplitFits, run: BrainRun, models: tuple[str, ...]) -> AveragedScore:
    return aggregate(best_of(own, models), own.units, run.generation)


def _mark(found: AveragedScore, colour: str) -> RowMark:
    return RowMark(found.score, colour, dots=tuple(found.participants.values()))
