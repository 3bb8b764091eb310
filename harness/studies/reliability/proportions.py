"""Indicator 1 and the stacked curve behind it: how often a model is right, silent or wrong (reliability 6.1, 6.3).

It knows labels, difficulties and names of models; it must never know a benchmark's rules or a response's text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.stats import bin_mean, equal_sized_bins, is_number
from harness.studies.reliability.table import Table, read

BINS = 30
LABELS = "cai"  # correct, avoidant, incorrect; the order of every triple of counts below
Counts = Sequence[int]
NONE_SCORED = {"missing": "no scored responses"}


def proportions(given: Iterable[Mapping[str, Any]], bins: int = BINS) -> dict[str, Any]:
    """Give the curve and the totals of one model from its labels, item by item."""
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
    if not isinstance(labels, str | list | tuple) or any(label not in tuple(LABELS) for label in labels):
        raise InputError("`labels` is missing or holds something else than c, a and i", where=where)
    return [labels.count(label) for label in LABELS]


def curve(ids: Sequence[str], difficulties: Sequence[float], counts: Sequence[Counts], bins: int) -> dict[str, Any]:
    """Pool counts over bins of equal size, and over all; a share is a count divided once by the scored pairs."""
    if len(set(ids)) != len(ids):
        raise InputError("two rows have the same id", where="id", next="give the labels of an item in one row")
    members: dict[int, list[int]] = {}
    for index, place in enumerate(equal_sized_bins(ids, difficulties, bins)):
        members.setdefault(place, []).append(index)
    table = [
        _bin([difficulties[index] for index in inside], [counts[index] for index in inside])
        for _, inside in sorted(members.items())
    ]
    total = _pooled(counts)
    scored = sum(total)
    return {
        "bins": table,
        "n_items": len(ids),
        "n_bins": len(table),
        "n_scored": scored,
        "counts": dict(zip(LABELS, total, strict=True)),
        **_shares(total),
        "prudent": _share(total[0] + total[1], scored),
        # 6.3: the indicator as it is published, 0 to 100.
        "correctness_proportion": _share(100 * total[0], scored),
        "prudence_proportion": _share(100 * (total[0] + total[1]), scored),
        "degenerate": len(ids) < 2 or scored == 0,
    }


def _bin(difficulties: list[float], counts: list[Counts]) -> dict[str, Any]:
    total = _pooled(counts)
    return {
        "n": len(difficulties),
        "n_scored": sum(total),
        "difficulty": bin_mean(difficulties),
        "low": min(difficulties),
        "high": max(difficulties),
        **_shares(total),
    }


def _pooled(counts: Iterable[Counts]) -> list[int]:
    total = [0, 0, 0]
    for triple in counts:
        total = [left + right for left, right in zip(total, triple, strict=True)]
    return total


def _shares(total: Counts) -> dict[str, Any]:
    names = ("correct", "avoidant", "incorrect")
    return {name: _share(count, sum(total)) for name, count in zip(names, total, strict=True)}


def _share(count: int, scored: int) -> float | dict[str, str]:
    return count / scored if scored else NONE_SCORED


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the curve of every model on every benchmark and part, with the answers that were never scored beside it."""
    labels = read(inputs["labels"])
    summary = {
        "rule_set": params["rule_set"],
        "calibrated": labels.calibrated,
        "benchmarks": _curves(labels.benchmarks, params.get("bins", BINS)),
        "parts": _curves(labels.parts, params.get("bins", BINS)),
    }
    rows.write_one(out / "proportions", summary)


def _curves(tables: Mapping[str, Table], bins: int) -> dict[str, Any]:
    return {
        name: {
            model: {**curve(table.ids, table.difficulties, table.counts(model), bins), "errors": table.errors(model)}
            for model in table.cells
        }
        for name, table in tables.items()
    }
