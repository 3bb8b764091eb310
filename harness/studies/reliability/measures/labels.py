"""The steps that make the `labels` table: one row for an item and a model, with its labels side by side.

Millions of scores become hundreds of thousands of rows here, once, by benchmark and model. No analysis has to read a
response or a score. Independent of rules and of what an item asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.rowtypes import Gold, Item, Score
from harness.studies.reliability.rowtypes import Labelled
from harness.studies.reliability.terms import LABELS, SUBTYPES, UNSCORED

CUT = ("length", "max_tokens")  # finish reasons by which providers say that an answer was cut at its budget
CLOSE = 0.8  # share of the target's population; tables have errors, so a runner-up this large may be the larger city


@dataclass
class _Tally:
    """The labels of one item's answers so far, by position in the row; counts of avoidance, truncation and errors."""

    labels: dict[int, str] = field(default_factory=dict)
    target_only: dict[int, str] = field(default_factory=dict)
    avoidance: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SUBTYPES, 0))
    truncated: int = 0
    errors: int = 0


def collect(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `labels`, one row per item with all labels of one model's answers, from items, gold and scores.

    The output `places` says which template each character stands for, and names the rule set. Raises InputError if the
    scores come from several rule sets.
    """
    golds = {row["id"]: row for row in rows.read(inputs["gold"], Gold)}
    places = _places(inputs["scores"])
    tallies: dict[str, _Tally] = {}
    rule_sets: set[str] = set()
    for row in rows.read(inputs["scores"], Score):
        tally = tallies.setdefault(row["item"], _Tally())
        _count(tally, row, places[row["template"], row["sample"]])
        rule_sets |= {row["detail"]["rule_set"]} if "rule_set" in row["detail"] else set()
    if len(rule_sets) > 1:
        raise InputError(f"scores of several rule sets: {', '.join(sorted(rule_sets))}", where="scores")
    variants = any(tally.target_only for tally in tallies.values())
    table = (
        _row(params, item, golds[item["id"]], tallies[item["id"]], len(places), variants)
        for item in rows.read(inputs["items"], Item)
        if item["id"] in tallies
    )
    rows.write(out / "labels", table)
    rest = {"templates": [template for template, _ in places], "rule_set": next(iter(rule_sets), None)}
    rows.write_one(out / "places", {"model": params["model"], "benchmark": params["benchmark"], **rest})


def templates(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `templates`: for each benchmark, which prompt template each character of a row of labels stands for.

    Raises InputError for a model asked in other wordings than the others, or scored by another rule set.
    """
    found: dict[str, Any] = {}
    for row in rows.read(inputs["places"]):
        if row["rule_set"] not in (None, params["rule_set"]):
            raise InputError(f"scores of the rule set {row['rule_set']}, not {params['rule_set']}", where=row["model"])
        known = found.setdefault(row["benchmark"], row["templates"])
        if known != row["templates"]:
            raise InputError(
                f"model {row['model']} was asked {row['benchmark']} in other wordings than the others", where="places"
            )
    rows.write_one(out / "templates", found)


def _places(scores: Path) -> dict[tuple[int, int], int]:
    """Return the position in a row of labels of each (template, sample) of the scores, in sorted order."""
    found = sorted({(row["template"], row["sample"]) for row in rows.read(scores, Score)})
    return {key: place for place, key in enumerate(found)}


def _count(tally: _Tally, row: Score, place: int) -> None:
    if isinstance(row["value"], Mapping):  # {"missing": reason}: an error is counted and never scored
        tally.errors += 1
        return
    label, detail = row["outcome"], row["detail"]
    if label not in LABELS:
        raise InputError(f"outcome {label!r} is none of c, a, i", where=f"scores of {row['item']}")
    tally.labels[place] = label
    if label == "a":
        tally.avoidance[detail["avoidance"]] += 1
    tally.truncated += detail.get("finish") in CUT
    if "alternate_used" in detail:
        # right only by another word with the same letters; if only the target counted, the answer would be wrong
        tally.target_only[place] = "i" if detail["alternate_used"] else label


def _row(params: Mapping[str, Any], item: Item, gold: Gold, tally: _Tally, width: int, variants: bool) -> Labelled:
    difficulty = gold.get("difficulty", item["difficulty"])
    row: Labelled = {
        "model": params["model"],
        "item": item["id"],
        "benchmark": params["benchmark"],
        "subset": item["input"].get("subset", params["benchmark"]),
        "difficulty": difficulty,
        "calibrated": item["meta"].get("calibrated") is True,
        "labels": _spelled(tally.labels, width),
        "avoidance": tally.avoidance,
        "truncated": tally.truncated,
        "errors": tally.errors,
    }
    if variants:
        row["variants"] = {"target_only": _spelled(tally.target_only, width)}
    if "true_target_filtered" in gold["gold"]:
        row["flags"] = {"true_target_filtered": gold["gold"]["true_target_filtered"]}
    if "runner_up_ratio" in gold["gold"]:
        row["flags"] = {"runner_up_close": (gold["gold"]["runner_up_ratio"] or 0) >= CLOSE}
    return row


def _spelled(labels: Mapping[int, str], width: int) -> str:
    return "".join(labels.get(place, UNSCORED) for place in range(width))
