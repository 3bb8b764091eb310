"""The step that draws a run's figures, each as SVG and as PNG, from the documents of the measures.

Chooses the values that a figure shows. Does not compute them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from harness.kit import charts
from harness.kit.documents import documents, number, section, span
from harness.studies.curie.pages import outputs
from harness.studies.curie.pages.figures_length import length
from harness.studies.curie.pages.figures_rows import BESIDE, PLAIN, STAND_IN, Bar, BarChart, BarPanel, bar_chart
from harness.studies.curie.pages.run_facts import HUNDRED, RunFacts, factor, measured_by, primary, task_title

DOCUMENTS = ("means", "slices", "breakdowns")
Documents = Mapping[str, Mapping[str, Any]]
LMSCORE = "lmscore"
DISTANCES: Mapping[str, str] = {"normalized_distance_error": "distance error", "relative_box_size": "relative size"}
BASIS = "Grey: cheap strategies (OURS), which understand nothing; some answer with gold."
SPREAD = "Black line: 25th to 75th percentile of the records, which is spread and not uncertainty."


def draw(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Draw every figure and write it as SVG and as PNG; a figure whose document is absent says that it has no data."""
    run, given = RunFacts.of(params), documents(inputs, DOCUMENTS)
    drawers = {stem: partial(_DRAWN[stem], run, given) for stem in outputs.stems(run.tasks, run.instruments)}
    charts.draw(drawers, out, outputs.title)


def _chart(
    stem: str, run: RunFacts, given: Documents, panels: Iterable[BarPanel], under: str, note: str, columns: int
) -> charts.Sheet:
    """Draw a chart whose rows are the run's models and strategies."""
    kinds = {name: STAND_IN if run.is_stand_in(name) else PLAIN for name in run.models}
    kinds |= dict.fromkeys(run.strategies, BESIDE)
    said = " ".join((note, BASIS if run.strategies else "", f"Mode: {run.mode}.")).strip()
    chart = BarChart(outputs.TITLES[stem], under, run.ranked(given["means"]), list(panels), said, columns, kinds)
    return bar_chart(chart)


def averages(run: RunFacts, given: Documents) -> charts.Sheet:
    """Draw Fig. 1a from `means`: the average of ten task means, and that of nine without BIOGR."""
    found = section(given["means"], "averages")
    panels = [
        BarPanel(title, "mean of the task means", _averages(run, section(found, name)))
        for name, title in (("ten", "Ten tasks"), ("nine", "Nine tasks, without BIOGR"))
    ]
    note = (
        "Each task counts once, by its primary metric. Not every model sees images, so the order without BIOGR may be "
        "another. A row without a mean of each task has no average."
    )
    return _chart("figure-averages", run, given, panels, "0 to 100, more is better.", note, 2)


def _averages(run: RunFacts, found: Mapping[str, Any]) -> dict[str, Bar]:
    values = {name: number(found.get(name)) for name in run.everybody}
    return {
        name: Bar(None if value is None else HUNDRED * value, words="" if value is not None else "none")
        for name, value in values.items()
        if value is not None or name in run.models
    }


def tasks(run: RunFacts, given: Documents) -> charts.Sheet:
    """Draw Fig. 5 from `means`: a panel for each task, a bar for each model, with the spread of the records."""
    means = given["means"]
    panels = [
        BarPanel(task_title(task), measured_by(means, task)[0], _primaries(run, means, task))
        for task in run.tasks
        if section(means, "tasks", task)
    ]
    note = f"{SPREAD} Who has no value on a task has no bar there."
    return _chart("figure-tasks", run, given, panels, "Primary metric of each task, 0 to 100.", note, 5)


def _primaries(run: RunFacts, means: Mapping[str, Any], task: str) -> dict[str, Bar]:
    scale, cells = factor(means, task), {name: primary(means, task, name) for name in run.everybody}
    return {
        name: Bar(_times(cell, scale), _spread(cell, scale))
        for name, cell in cells.items()
        if number(cell) is not None or name in run.models
    }


def _times(found: Any, scale: float) -> float | None:
    value = number(found)
    return None if value is None else scale * value


def _spread(cell: Mapping[str, Any], scale: float) -> tuple[float, float] | None:
    found = span([cell.get("q25"), cell.get("q75")])
    return found and (scale * found[0], scale * found[1])


def difficulty(run: RunFacts, given: Documents) -> charts.Sheet:
    """Draw Fig. 7 from `slices`: a panel for each level, bars for means over records, marks for means of domains."""
    found = section(given["slices"], "difficulty")
    panels = []
    for level in ("easy", "medium", "hard"):
        cells = {name: section(found, "pooled", name, level) for name in run.everybody}
        marks = {name: _times(section(found, "macro", name, level), HUNDRED) for name in run.everybody}
        bars = {
            name: Bar(_times(cell, HUNDRED), mark=marks[name])
            for name, cell in cells.items()
            if number(cell) is not None or name in run.models
        }
        panels.append(BarPanel(level.capitalize(), _records(found, level), bars))
    note = (
        "Bar: mean over all records of the averaged tasks together, where a DFT record counts once for each of its "
        "three tasks; diamond: mean of the domains' means. A strategy has values of the tasks it makes sense for."
    )
    return _chart("figure-difficulty", run, given, panels, "Primary metrics, 0 to 100.", note, 3)


def _records(found: Mapping[str, Any], level: str) -> str:
    averaged = found.get("averaged") or []
    counts = [number(section(found, "records", task).get(level)) or 0 for task in averaged]
    return f"{math.fsum(counts):,.0f} records"


def boxes(run: RunFacts, given: Documents) -> charts.Sheet:
    """Draw the distances of BIOGR's boxes (Fig. 26, 27) from `means`, and the share of unusable from `breakdowns`."""
    task = section(given["means"], "tasks", outputs.BOXES)
    scorer = str(section(task, "primary").get("scorer", ""))
    panels = [BarPanel("IoU", "times 100", _primaries(run, given["means"], outputs.BOXES))]
    for metric, title in DISTANCES.items():
        cells = {name: section(task, "models", name, "metrics", scorer, metric) for name in run.everybody}
        statistic = {str(cell["statistic"]) for cell in cells.values() if "statistic" in cell}
        bars = {
            name: Bar(_times(cell, 1), _spread(cell, 1))
            for name, cell in cells.items()
            if number(cell) is not None or name in run.models
        }
        panels.append(BarPanel(title.capitalize(), f"{' or '.join(sorted(statistic))}, log", bars, log=True, digits=2))
    shares = section(given["breakdowns"], "unusable", outputs.BOXES)
    bars = {
        name: Bar(_times(section(shares, name).get("share"), HUNDRED))
        for name in run.everybody
        if section(shares, name) or name in run.models
    }
    panels.append(BarPanel("Unusable answers", "blank, invalid or an error, %", bars))
    note = (
        f"{SPREAD} Distance error: between the centres, in half diagonals of the gold box; relative size: half "
        "diagonal over the gold's, 1 is right. Distances are of answers that are boxes: their tails are heavy, and "
        "they have no intervals."
    )
    return _chart("figure-boxes", run, given, panels, "BIOGR.", note, 4)


def lengths(run: RunFacts, given: Documents) -> charts.Sheet:
    """Draw Fig. 10 from `breakdowns`: words of documents and of ideal answers, task by task."""
    found = {task: each for task in run.tasks if (each := section(given["breakdowns"], "lengths", task))}
    panels = [
        BarPanel(
            title,
            "median words, log",
            {task_title(task): _words(each, name) for task, each in found.items()},
            log=True,
            digits=0,
        )
        for name, title in (("document", "Documents"), ("answer", "Ideal answers"))
    ]
    note = "Words, parted at white space. Line: 25th to 75th percentile. A map's document is its caption."
    rows = [task_title(task) for task in found]
    return bar_chart(BarChart(outputs.TITLES["figure-lengths"], "Medians over records.", rows, panels, note, 2))


def _words(found: Mapping[str, Any], name: str) -> Bar:
    one = section(found, name)
    return Bar(number(one.get("median")), _spread(one, 1))


def lmscore(run: RunFacts, given: Documents) -> charts.Sheet:
    """Draw Fig. 33 from `breakdowns`: Spearman's correlation of LMScore with each other scorer, task by task."""
    found: dict[str, dict[str, Bar]] = {}
    for task in run.tasks:
        pairs = section(given["breakdowns"], "correlations").get(task) or []
        for pair in pairs:
            both = [str(pair["a"]), str(pair["b"])]
            if LMSCORE in both:
                both.remove(LMSCORE)
                found.setdefault(both[0], {})[task_title(task)] = Bar(number(pair))
    panels = [BarPanel(scorer, "Spearman", bars, digits=2, most=1.0) for scorer, bars in sorted(found.items())]
    note = "Over records and models together, strategies left out; of the scorers' primary metrics."
    rows, under = [task_title(task) for task in run.tasks], "LMScore and another scorer's primary metric, -1 to 1."
    return bar_chart(BarChart(outputs.TITLES["figure-lmscore"], under, rows, panels, note, max(2, len(panels))))


_DRAWN = {
    "figure-averages": averages,
    "figure-tasks": tasks,
    "figure-difficulty": difficulty,
    "figure-length": lambda run, given: length(run, given["slices"]),
    "figure-lengths": lengths,
    "figure-boxes": boxes,
    "figure-lmscore": lmscore,
}
