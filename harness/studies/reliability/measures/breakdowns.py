"""Breakdowns beside the six indicators: avoidance, truncated answers, easiest bins.

Rule: docs/reliability-rules.md#breakdowns. Works on labels and counts; independent of responses and rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.studies.reliability import terms
from harness.studies.reliability.measures.bins import cut
from harness.studies.reliability.measures.labelled import checked, gather
from harness.studies.reliability.measures.table import Table
from harness.studies.reliability.rowtypes import Labelled
from harness.studies.reliability.terms import BINS, SUBTYPES, UNSCORED, Counts, discounts, pooled, share, shares

NONE_AVOIDANT = {"missing": "no avoidant responses"}


@dataclass(slots=True)
class AnswerCounts:
    """Counts of one model's answers on one benchmark or subset: by kind of avoidance, scored, and truncated."""

    avoidance: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SUBTYPES, 0))
    avoidant: int = 0
    scored: int = 0
    truncated: int = 0

    def add(self, row: Labelled) -> None:
        """Add the counts of one row of labels; raise InputError for malformed `avoidance` or `truncated`."""
        where = f"labels of {row['model']} on {row['item']}"
        kinds = row.get("avoidance")
        if not isinstance(kinds, Mapping) or not all(_count(kinds.get(name, 0)) for name in SUBTYPES):
            raise InputError("`avoidance` is missing or holds no counts", where=where)
        if not _count(row.get("truncated")):
            raise InputError("`truncated` is missing or no count", where=where)
        for name in SUBTYPES:
            self.avoidance[name] += kinds.get(name, 0)
        self.avoidant += row["labels"].count("a")
        self.scored += len(row["labels"]) - row["labels"].count(UNSCORED)
        self.truncated += row["truncated"]


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


Tallies = dict[str, dict[str, AnswerCounts]]  # benchmark -> model


class CountedRows:
    """A pass-through counter of label rows by model and benchmark (`whole`), and by model and subset (`parts`)."""

    def __init__(self) -> None:
        self.whole: Tallies = {}
        self.parts: Tallies = {}

    def passing(self, given: Iterator[Labelled]) -> Iterator[Labelled]:
        """Yield every row unchanged, after counting it."""
        for row in given:
            part = f"{row['benchmark']}:{row['subset']}"
            for name, group in ((row["benchmark"], self.whole), (part, self.parts)):
                group.setdefault(name, {}).setdefault(row["model"], AnswerCounts()).add(row)
            yield row


def avoidance(tallies: Sequence[AnswerCounts]) -> dict[str, Any]:
    """Return counts of the kinds of avoidant answers, summed over tallies, and their shares of all avoidant answers."""
    total = sum(tally.avoidant for tally in tallies)
    kinds = {name: sum(tally.avoidance[name] for tally in tallies) for name in SUBTYPES}
    parts = {name: kinds[name] / total if total else NONE_AVOIDANT for name in SUBTYPES}
    return {**kinds, "n": total, "n_scored": sum(tally.scored for tally in tallies), "shares": parts}


def by_group(tallies: Tallies, models: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the kinds of avoidant answers summed over all raw and over all shaped (instruction-tuned) models."""
    found = {}
    for group in terms.GROUPS.values():
        inside = sorted(name for name, facts in models.items() if terms.group(facts) == group)
        found[group] = {
            **avoidance([per[name] for per in tallies.values() for name in inside if name in per]),
            "models": inside,
        }
    return found


def easiest(table: Table, bins: int, discount: float) -> dict[str, Any]:
    """Return each model's label shares in the easiest bin, and the difficulty up to which no bin has an error."""
    cuts = cut(table.ids, table.difficulties, bins)
    ends = [[low, high] for low, high in zip(cuts.low, cuts.high, strict=True)]
    found = {}
    for model in table.labels:
        counts = table.counts(model)
        binned = [pooled(counts[place] for place in inside) for inside in cuts.members]
        found[model] = _easiest(binned, ends, discount)
    return found


def _easiest(counts: Sequence[Counts], ends: Sequence[list[float]], discount: float) -> dict[str, Any]:
    correct, _, incorrect = counts[0]
    scored = sum(counts[0])
    guessed = discount * (correct + incorrect)  # OURS: minus the answers that guessing gets right, never below 0
    clean = 0
    for triple in counts:
        if triple[2] or not sum(triple):
            break
        clean += 1
    return {
        "difficulty": ends[0],
        **shares(counts[0]),
        "correct_discounted": share(max(0.0, correct - guessed), scored),
        "n_scored": scored,
        "safe": clean > 0,
        "safe_bins": clean,
        "safe_up_to": ends[clean - 1][1]
        if clean
        else {"missing": "no bin from the easiest on is free of incorrect answers"},
        "curve": [
            {"difficulty": list(span), "incorrect": shares(triple)["incorrect"]}
            for span, triple in zip(ends, counts, strict=True)
        ],
        "degenerate": len(counts) < 2 or not scored,
    }


def _shown(tallies: Tallies, tables: Mapping[str, Table], bins: int, guessed: Mapping[str, float]) -> dict[str, Any]:
    return {
        "avoidance": {name: {m: avoidance([t]) for m, t in sorted(tallies[name].items())} for name in tables},
        "truncations": {
            name: {m: {"truncated": t.truncated, "n": t.scored} for m, t in sorted(tallies[name].items())}
            for name in tables
        },
        "easiest_bin": {
            name: easiest(table, bins, guessed.get(table.benchmark, 0.0)) for name, table in tables.items()
        },
    }


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `breakdowns`: kinds of avoidance, truncations, easiest bins by benchmark, subset and model.

    Kinds of avoidance are given by group of models, too.
    """
    counted, asked = CountedRows(), (params.get("bins", BINS), discounts(params.get("discount", {})))
    labels = gather(counted.passing(checked(inputs["labels"])))
    groups = by_group(counted.whole, params.get("models", {}))
    document = {**_shown(counted.whole, labels.benchmarks, *asked), "avoidance_by_group": groups}
    document["parts"] = _shown(counted.parts, labels.subsets, *asked)
    rows.write_one(out / "breakdowns", document)
