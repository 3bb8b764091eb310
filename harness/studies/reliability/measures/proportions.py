"""Indicator 1 and the stacked curve: shares of each label, overall and over bins.

Rule: docs/reliability-rules.md#proportion. Works on labels, difficulties and names of models; independent of scoring
rules and response texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.stats import is_number
from harness.studies.reliability.measures.bins import cut
from harness.studies.reliability.measures.labelled import read
from harness.studies.reliability.measures.table import Table
from harness.studies.reliability.terms import BINS, LABELS, Counts, are_labels, counted, pooled, share, shares


def proportions(given: Iterable[Mapping[str, Any]], bins: int = BINS) -> dict[str, Any]:
    """Return one model's label shares by difficulty bin, and totals, from rows of id, difficulty and labels.

    Raises InputError for a malformed row or a duplicate id.
    """
    ids: list[str] = []
    difficulties: list[float] = []
    counts: list[Counts] = []
    for place, row in enumerate(given):
        item, difficulty = _item(row, f"row {place}")
        ids.append(item)
        difficulties.append(difficulty)
        counts.append(_counts(row, f"row {place} ({item})"))
    return curve(ids, difficulties, counts, bins)


def _item(row: Mapping[str, Any], where: str) -> tuple[str, float]:
    if not isinstance(row, Mapping):
        raise InputError("a row is not an object", where=where, next="give rows of id, difficulty and labels")
    item, difficulty = row.get("id"), row.get("difficulty")
    if not isinstance(item, str):
        raise InputError("`id` is missing or not text", where=where, next="give each item its id")
    if not is_number(difficulty):
        raise InputError("`difficulty` is missing or not a finite number", where=where, next="give one, 0 to 100")
    return item, difficulty


def _counts(row: Mapping[str, Any], where: str) -> Counts:
    labels = row.get("labels")
    if not are_labels(labels):
        raise InputError("`labels` is missing or holds something other than c, a and i", where=where)
    return counted(labels)


def curve(ids: Sequence[str], difficulties: Sequence[float], counts: Sequence[Counts], bins: int) -> dict[str, Any]:
    """Return each label's share in equal-size bins of items by difficulty, and overall, from items' label counts.

    Raises InputError for a duplicate id.
    """
    if len(set(ids)) != len(ids):
        raise InputError("two rows have the same id", where="id", next="give the labels of an item in one row")
    found, table = cut(ids, difficulties, bins), []
    for place, inside in enumerate(found.members):
        total = pooled(counts[index] for index in inside)
        table.append({"n": len(inside), "n_scored": sum(total), **found.span(place), **shares(total)})
    total = pooled(counts)
    scored = sum(total)
    return {
        "bins": table,
        "n_items": len(ids),
        "n_bins": len(table),
        "n_scored": scored,
        "counts": dict(zip(LABELS, total, strict=True)),
        **shares(total),
        "prudent": share(total[0] + total[1], scored),
        # The indicator as published, 0 to 100.
        "correctness_proportion": share(100 * total[0], scored),
        "prudence_proportion": share(100 * (total[0] + total[1]), scored),
        "degenerate": len(ids) < 2 or scored == 0,
    }


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `proportions`: each model's stacked curve, totals and errors, by benchmark and part."""
    labels = read(inputs["labels"])
    summary = {
        "rule_set": params["rule_set"],
        "calibrated": labels.calibrated,
        "asked": _asked(labels.benchmarks),
        "benchmarks": _curves(labels.benchmarks, params.get("bins", BINS)),
        "parts": _curves(labels.parts, params.get("bins", BINS)),
    }
    rows.write_one(out / "proportions", summary)


def _asked(tables: Mapping[str, Table]) -> dict[str, Any]:
    """Return the number of instances, and of pairs of instance and prompt, of each benchmark."""
    counted = {
        name: {"items": len(table.ids), "pairs": len(table.ids) * table.prompts} for name, table in tables.items()
    }
    return {"benchmarks": counted, "pairs": sum(each["pairs"] for each in counted.values())}


def _curves(tables: Mapping[str, Table], bins: int) -> dict[str, Any]:
    return {
        name: {
            model: {**curve(table.ids, table.difficulties, table.counts(model), bins), "errors": table.errors(model)}
            for model in table.labels
        }
        for name, table in tables.items()
    }
