"""The figures of scores: both worlds under both splits, and the subsets of feature spaces with starred models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.kit import charts
from harness.kit.documents import number, section
from harness.studies.brain.pages import outputs
from harness.studies.brain.pages.figures_rows import (
    BAR,
    BLUE,
    DIAMOND,
    DOT,
    ORANGE,
    MarkChart,
    MarkPanel,
    RowMark,
    mark_chart,
)
from harness.studies.brain.pages.run_basis import LLM, OASM, WORLDS, BrainRun, SplitScore, is_width, simplest_first
from harness.studies.brain.terms import CONTIGUOUS, SHUFFLED, SPLITS

COLOURS: Mapping[str, str] = {CONTIGUOUS: BLUE, SHUFFLED: ORANGE}
SHIFTS: Mapping[str, float] = {SHUFFLED: -0.2, CONTIGUOUS: 0.2}
LEGEND = (
    ("shuffled", ORANGE, BAR),
    ("contiguous", BLUE, BAR),
    ("participant", charts.INK, DOT),
    ("chosen in training folds", charts.INK, DIAMOND),
)
MANY, MOST = 20, 90  # rows of a figure: 64 subsets of six spaces, and some starred models


def worlds(run: BrainRun) -> charts.Sheet:
    """Draw OASM, the language model and each text model under both splits, one panel per data set and its world."""
    named = {dataset: _beside(run, dataset) for dataset in run.datasets}
    rows = sorted(
        {name for names in named.values() for name in names},
        key=lambda name: (not name.startswith(OASM), name != LLM, name),
    )
    panels = [
        MarkPanel(
            run.title(dataset),
            WORLDS.get(run.world(dataset), ""),
            {
                name: [
                    _mark(run.score(dataset, split, name), split) for split in SPLITS if split in run.splits(dataset)
                ]
                for name in names
            },
        )
        for dataset, names in named.items()
    ]
    note = (
        "R2 out of sample of the language network. OASM and text models: the width, the "
        "layer of the highest score on test data, as published. Sufficient, not proof about real data: see the caption."
    )
    return _chart(run, outputs.WORLDS, rows, panels, note)


def subsets(run: BrainRun) -> charts.Sheet:
    """Draw every model of fixed feature spaces and every starred model under both splits, one panel per data set."""
    rows = dict.fromkeys(name for dataset in run.datasets for name in run.fixed(dataset))
    starred = dict.fromkeys(
        str(row.get("name")) for dataset in run.datasets for split in SPLITS for row in _stars(run, dataset, split)
    )
    panels = [MarkPanel(run.title(dataset), "", _all(run, dataset)) for dataset in run.datasets]
    room = max(MOST - len(starred), 0)
    ordered = [*sorted(rows, key=simplest_first)[:room], *starred]
    note = (
        "R2 out of sample of the language network. *: in each unit the highest of many subsets on test data, "
        "which is biased upward."
    )
    left_out = f" {len(rows) - room} models more are in the tables." if len(rows) > room else ""
    return _chart(run, outputs.SUBSETS, ordered, panels, note + left_out)


def _chart(run: BrainRun, stem: str, rows: Sequence[str], panels: Sequence[MarkPanel], note: str) -> charts.Sheet:
    ends = (
        f" Generation {charts.label(run.generation)}. What lies beyond \N{MINUS SIGN}1 stands at the end of the axis."
    )
    return mark_chart(
        MarkChart(
            outputs.TITLES[stem],
            "R2 out of sample; 0 is the mean of the training rows.",
            rows,
            panels,
            note + run.origin() + ends,
            legend=LEGEND,
            row=0.36 if len(rows) <= MANY else 0.26,
        )
    )


def _beside(run: BrainRun, dataset: str) -> list[str]:
    """Return the models to draw: OASM, the text models, and the language model that a simulation provides."""
    alone = [LLM] if any(LLM in run.scored(dataset, split) for split in SPLITS) else []
    families = [name for name in run.families(dataset) if name.startswith(OASM) or not is_width(name)]
    return [*families, *alone]


def _mark(score: SplitScore, split: str) -> RowMark:
    return RowMark(
        score.value, COLOURS[split], SHIFTS[split], dots=tuple(score.participants.values()), diamond=score.nested
    )


def _stars(run: BrainRun, dataset: str, split: str) -> list[Mapping[str, object]]:
    found = section(run.document("stars"), dataset).get(split)
    return [row for row in found if isinstance(row, Mapping)] if isinstance(found, list) else []


def _all(run: BrainRun, dataset: str) -> dict[str, list[RowMark]]:
    marks: dict[str, list[RowMark]] = {}
    for split in run.splits(dataset):
        for name in run.fixed(dataset):
            marks.setdefault(name, []).append(_mark(run.score(dataset, split, name), split))
        for row in _stars(run, dataset, split):
            mark = RowMark(number(row.get("r2")), COLOURS[split], SHIFTS[split], diamond=number(row.get("nested")))
            marks.setdefault(str(row.get("name")), []).append(mark)
    return marks
