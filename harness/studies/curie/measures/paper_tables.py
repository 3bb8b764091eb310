"""Tables 1, 2 and 7 of the paper from aggregated results, row by row as printed.

Rule: docs/curie.md#paper-averages. Chooses the metrics and prompts of each table. Independent of where results come
from.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from harness.studies.curie.measures.meta_results import MetaRow, deviation, fill, fill_records, mean
from harness.studies.curie.measures.paper_models import TABLE_1, TABLE_2, TABLE_7, label
from harness.studies.curie.tasks import TASKS

TEXT_DOMAINS = ("dft", "mpv", "hfd", "hfe", "qecc_65", "geo")
LLMSIM = ("LMSim-Pr", "LMSim-Re", "LMSim-F1")
BOX = ("iou", "normalized_distance_error", "relative_box_size")
COLUMNS_1 = (
    *((domain, metric) for domain in TEXT_DOMAINS for metric in ("rougeLsum", "bert_f1")),
    ("biogr", "iou"),
    ("pdb", "identity_ratio"),
)
MPV = TASKS["mpv"].prompt
COLUMNS_2 = (
    *(f"dft_{TASKS[name].prompt}" for name in ("dft-s", "dft-p")),
    *(f"mpv_{TASKS[name].prompt}" for name in ("mpv", "mpv-non-trivial", "mpv-specific")),
)
ABSENT_1, ABSENT_2, ABSENT_7 = "& - & -", "&", "- & - & -"
Groups = dict[tuple[str, str, str], list[float]]


def table_1(rows: Sequence[MetaRow], every: Sequence[str]) -> dict[str, Any]:
    """Return the paper's Table 1 (means by model, domain and metric), computed from results, with its printed rows.

    The three DFT prompts are pooled, and only the first of MPV's prompts counts.
    """
    taken = [row for row in rows if (row.task, row.metric) in COLUMNS_1 and (row.task != "mpv" or row.prompt == MPV)]
    found = _groups((row.model, row.task, row.metric, row.value) for row in fill(taken, every))
    means = {key: mean(values) for key, values in found.items()}
    printed = [
        _printed(means, model, COLUMNS_1, 1.0) if any(key[0] == model for key in means) else ABSENT_1
        for model in TABLE_1
    ]
    return {"groups": _stated(found), "printed": printed}


def table_2(rows: Sequence[MetaRow], every: Sequence[str]) -> dict[str, Any]:
    """Return the paper's Table 2 (means by model, prompt and metric, times 100), computed, with its printed rows."""
    taken = [row for row in rows if row.metric in LLMSIM and f"{row.task}_{row.prompt}" in COLUMNS_2]
    found = _groups((row.model, f"{row.task}_{row.prompt}", row.metric, row.value) for row in fill(taken, every))
    means = {key: mean(values) for key, values in found.items()}
    columns = [(prompt, metric) for prompt in COLUMNS_2 for metric in LLMSIM]
    printed = [
        _printed(means, model, columns, 100.0) if any(key[0] == model for key in means) else ABSENT_2
        for model in TABLE_2
    ]
    return {"groups": _stated(found), "printed": printed}


def table_7(rows: Sequence[MetaRow]) -> dict[str, Any]:
    """Return the paper's Table 7 (means of three box metrics by model), computed, with its printed rows.

    A record counts 0 in all three metrics if a model has none of them; if it has some, the others are left out.
    """
    taken = [row for row in rows if row.task == "biogr" and row.metric in BOX]
    having = sorted({row.model for row in taken})
    found = _groups((row.model, "biogr", row.metric, row.value) for row in fill_records(taken, having, BOX))
    means = {key: mean(values) for key, values in found.items()}
    printed = [
        f"{label(model)} & " + (" & ".join(_two(means, model, name) for name in BOX) if model in having else ABSENT_7)
        for model in TABLE_7
    ]
    return {"means": [[model, name, value] for (model, _, name), value in sorted(means.items())], "printed": printed}


def _groups(given: Iterable[tuple[str, str, str, float]]) -> Groups:
    found: Groups = defaultdict(list)
    for model, column, metric, value in given:
        found[model, column, metric].append(value)
    return dict(sorted(found.items()))


def _stated(found: Groups) -> list[list[Any]]:
    return [[*key, mean(values), deviation(values)] for key, values in found.items()]


def _printed(
    means: Mapping[tuple[str, str, str], float], model: str, columns: Iterable[tuple[str, str]], scale: float
) -> str:
    """Print means with two decimals, without trailing zeros; a column without a mean is a dash (OURS)."""
    import numpy as np  # noqa: PLC0415

    cells = (means.get((model, *column)) for column in columns)
    return "& " + " & ".join("-" if cell is None else str(float(np.round(scale * cell, 2))) for cell in cells)


def _two(means: Mapping[tuple[str, str, str], float], model: str, metric: str) -> str:
    value = means.get((model, "biogr", metric))
    return "-" if value is None else f"{value:.2f}"
