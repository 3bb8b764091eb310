"""The document `tables`: Tables 1, 2, 5, 6 and 7 of the paper with the models and strategies of a run.

Chooses the tasks and metrics of each column. Independent of how a page shows them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from harness import rows
from harness.studies.curie.measures.cells import MEAN, MEDIAN, NOBODY, median, plain
from harness.studies.curie.measures.meta_results import mean
from harness.studies.curie.measures.paper_tables import BOX
from harness.studies.curie.measures.results import DISTANCES
from harness.studies.curie.measures.run_scores import RunScores, read
from harness.studies.curie.tasks import STRICT, VERSION

ROUGE, BERT, JUDGED = "rougeLsum", "bert_f1", "lmscore"
DFT = ("dft-s", "dft-p", "dft-c")
TEXTS = ("mpv", "hfd", "hfe", "qecc", "geo")
LLMSIM = ("dft-s", "dft-p", "mpv", "mpv-non-trivial", "mpv-specific")
DIGITS = 2
ABOUT = (
    "a cell is the mean of the records of its tasks together, times `times`; in strict mode a distance is the median; "
    "`text` is as the paper prints it, and a column that no scorer fills is a missing value"
)


class TableColumn(NamedTuple):
    """A column of a printed table: its heading, the tasks whose records it pools, and the metric."""

    heading: str
    tasks: tuple[str, ...]
    metric: str
    times: int = 1


def _texts(*metrics: str) -> tuple[TableColumn, ...]:
    groups = [("DFT", DFT), *((task.upper(), (task,)) for task in TEXTS)]
    return tuple(TableColumn(name, tasks, metric) for name, tasks in groups for metric in metrics)


TABLES: Mapping[str, tuple[str, tuple[TableColumn, ...]]] = {
    "table1": (
        "ROUGE-L and BERTScore by domain, and the two other metrics",
        (
            *_texts(ROUGE, BERT),
            TableColumn("BIOGR", ("biogr",), "iou"),
            TableColumn("PDB", ("pdb",), "identity_ratio"),
        ),
    ),
    "table2": (
        "LLMSim: precision, recall and F1 in percent",
        tuple(
            TableColumn(task.upper(), (task,), metric, 100)
            for task in LLMSIM
            for metric in ("precision", "recall", "f1")
        ),
    ),
    "table5": ("ROUGE-L and LMScore", _texts(ROUGE, JUDGED)),
    "table6": (
        "the DFT tasks apart",
        (
            TableColumn("DFT-C", ("dft-c",), ROUGE),
            TableColumn("DFT-C", ("dft-c",), JUDGED),
            *(
                TableColumn(task.upper(), (task,), metric, 100 if metric == "f1" else 1)
                for task in ("dft-s", "dft-p")
                for metric in ("f1", ROUGE, JUDGED)
            ),
            TableColumn("DFT", DFT, ROUGE),
            TableColumn("DFT", DFT, JUDGED),
        ),
    ),
    "table7": ("BIOGR: IoU and distances", tuple(TableColumn("BIOGR", ("biogr",), metric) for metric in BOX)),
}


def run_tables(found: RunScores) -> dict[str, Any]:
    """Return the paper's tables for this run: columns, and by model and strategy each cell and its text."""
    return {
        "mode": found.request.mode,
        "version": VERSION,
        "about": ABOUT,
        "models": list(found.request.models),
        "strategies": list(found.request.strategies),
        "tables": {name: _table(found, name) for name in TABLES},
    }


def _table(found: RunScores, name: str) -> dict[str, Any]:
    title, columns = TABLES[name]
    fixed = name == "table7"  # prints both digits; the other tables lose trailing zeros
    cells = {model: [_cell(found, column, model, fixed) for column in columns] for model in found.request.everybody}
    return {"title": title, "columns": [column._asdict() for column in columns], "rows": cells}


def _cell(found: RunScores, column: TableColumn, model: str, fixed: bool) -> dict[str, Any]:
    values: list[float] = []
    total = 0
    for task in column.tasks:
        scorer = _scorer(found, task, column.metric)
        if scorer is None:
            return {"value": {"missing": f"no scorer of {task} gives {column.metric}"}}
        one = found.column(task, scorer, column.metric, model)
        values += one.by_record().values()
        total += one.total
    if not values:
        return {"value": {"missing": NOBODY}, "n": 0, "N": total}
    statistic = MEDIAN if column.metric in DISTANCES and found.request.mode == STRICT else MEAN
    value = column.times * (median(values) if statistic == MEDIAN else mean(values))
    text = _text(value, fixed)
    return {"value": plain(value), "n": len(values), "N": total, "statistic": statistic, "text": text}


def _text(value: float, fixed: bool) -> str:
    if not math.isfinite(value):
        return str(value)
    return f"{value:.{DIGITS}f}" if fixed else str(round(value * 10**DIGITS) / 10**DIGITS)


def _scorer(found: RunScores, task: str, metric: str) -> str | None:
    """Return the scorer of a task that computes a metric, preferably its primary scorer; None if there is none."""
    given: Sequence[str] = [scorer for scorer, name in found.metrics(task) if name == metric]
    if found.request.primary.get(task, ("",))[0] in given:
        return found.request.primary[task][0]
    return given[0] if given else None


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `tables`, the paper's tables for this run, from the inputs `items` and `scores`.

    Raises InputError as `run_scores.read` does.
    """
    rows.write_one(out / "tables", run_tables(read(params, inputs)))
