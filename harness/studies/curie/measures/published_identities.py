"""Identities between the printed tables, and averages that follow from them, to check claims against (OURS).

States which printed numbers must agree. Independent of the results of a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from harness.studies.curie.measures.published_table import PublishedTable
from harness.studies.curie.tasks import AVERAGED

DFT = ("dft-c", "dft-s", "dft-p")
LLMSIM_TASKS = ("dft-s", "dft-p", "mpv", "mpv-non-trivial", "mpv-specific")
TEXT_TASKS = ("mpv", "hfd", "hfe", "qecc", "geo")
HUNDRED = Decimal(100)
NOT_PRINTED = "a number that it needs was not printed"
# Table 6 lacks DFT-C of one model. Its DFT column of Table 1 is used instead, and the average says so.
STANDS_IN = "Table 1's DFT column in place of DFT-C, which was not printed"


def identities(table: PublishedTable) -> dict[str, Any]:
    """Return for each pair of printed numbers that should agree their differences by model, and the tolerance."""
    six, seven = table.models("table6"), table.models("table7")
    rouge = {model: _less(_mean(table, model, "rougeLsum"), table, "table1", model, "rougeLsum") for model in six}
    lmscore = {model: _less(_mean(table, model, "lmscore"), table, "table6", model, "lmscore") for model in six}
    boxes = {
        model: _difference(table.get("table7", model, "biogr", "iou"), table.get("table1", model, "biogr", "iou"))
        for model in seven
    }
    above = {f"{model} {task}": _above(table, model, task) for model in table.models("table2") for task in LLMSIM_TASKS}
    return {
        "table6_rouge_mean_is_table1_dft": _stated(rouge, "0.01", "Table 6's mean ROUGE-L of three less Table 1's DFT"),
        "table6_lmscore_mean_is_its_average": _stated(lmscore, "0.005", "Table 6's mean LMScore less its DFT column"),
        "table1_iou_is_table7_iou": _stated(boxes, "0", "Table 7's IoU less Table 1's"),
        "f1_at_most_harmonic_mean": _stated(
            above,
            "0.01",
            "Table 2's F1 less the harmonic mean of its P and R; the "
            "mean of F1 is never above it, but for the rounding of the three",
            True,
        ),
    }


def averages(table: PublishedTable) -> dict[str, Any]:
    """Return each model's average over the ten tasks in percent, over nine without BIOGR, and the ranking by each.

    These averages were not printed. A model that lacks a number has a missing value, except for DFT-C: see `stands_in`.
    """
    found: dict[str, dict[str, Any]] = {"ten": {}, "nine": {}}
    stands_in = {}
    for model in table.models("table1"):
        parts = {task: _primary(table, model, task) for task in AVERAGED}
        if parts["dft-c"] is None:
            parts["dft-c"], stands_in[model] = table.get("table1", model, "dft", "rougeLsum"), STANDS_IN
        for name, left_out in (("ten", ()), ("nine", ("biogr",))):
            values = [value for task, value in parts.items() if task not in left_out]
            known = [value for value in values if value is not None]
            whole = len(known) == len(values)
            found[name][model] = float(sum(known) / len(known)) if whole else {"missing": NOT_PRINTED}
    return {**found, "order": {name: _order(values) for name, values in found.items()}, "stands_in": stands_in}


def _primary(table: PublishedTable, model: str, task: str) -> Decimal | None:
    if task in ("dft-s", "dft-p", "mpv"):
        return table.get("table2", model, task, "f1")
    if task == "dft-c":
        return table.get("table6", model, task, "rougeLsum")
    if task in TEXT_TASKS:
        return table.get("table1", model, task, "rougeLsum")
    share = table.get("table1", model, task, "iou" if task == "biogr" else "identity_ratio")
    return None if share is None else HUNDRED * share


def _order(values: Mapping[str, Any]) -> list[str]:
    known = {model: value for model, value in values.items() if isinstance(value, float)}
    return sorted(known, key=lambda model: (-known[model], model))


def _mean(table: PublishedTable, model: str, metric: str) -> Decimal | None:
    found = table.all("table6", model, metric, DFT)
    return None if found is None else sum(found, Decimal(0)) / len(found)


def _less(value: Decimal | None, table: PublishedTable, other: str, model: str, metric: str) -> Decimal | None:
    return _difference(value, table.get(other, model, "dft", metric))


def _difference(one: Decimal | None, other: Decimal | None) -> Decimal | None:
    return None if one is None or other is None else one - other


def _above(table: PublishedTable, model: str, task: str) -> Decimal | None:
    found = [table.get("table2", model, task, metric) for metric in ("precision", "recall", "f1")]
    if None in found:
        return None
    precision, recall, f1 = (value or Decimal(0) for value in found)
    both = precision + recall
    return f1 - (2 * precision * recall / both if both else Decimal(0))


def _stated(found: Mapping[str, Decimal | None], within: str, what: str, above: bool = False) -> dict[str, Any]:
    """State an identity or, if `above`, a bound; `largest` is the largest absolute difference or excess, at least 0."""
    known = {name: value for name, value in found.items() if value is not None}
    size = _largest(known.values() if above else map(abs, known.values()))
    return {
        "what": what,
        "differences": {name: float(value) for name, value in known.items()},
        "n": len(known),
        "largest": {"missing": NOT_PRINTED} if not known else float(size),
        "within": within,
        "beyond": sum((value if above else abs(value)) > Decimal(within) for value in known.values()),
    }


def _largest(values: Iterable[Decimal]) -> Decimal:
    return max((Decimal(0), *values))
