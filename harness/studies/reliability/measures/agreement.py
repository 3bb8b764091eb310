"""How far the labels of a rule set agree with those of a person who read the same responses (reliability 4.1).

It knows pairs of labels; it must never know a rule, a response's text or who wrote it.
A cell is always named person -> rules. The measures and their intervals are OURS: the paper gives none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness import seeds
from harness.errors import InputError
from harness.studies.reliability.measures.statistic import FEWEST, LEVEL, RESAMPLES, absent, beside, ratio
from harness.studies.reliability.terms import LABELS, SUBTYPES

_Z = 1.959963984540054  # the normal quantile of LEVEL
Matrix = list[list[int]]
UNSEEN = "no response with this label"
NOBODY = "no responses"
UNDEFINED = "both gave one and the same label throughout, so agreement by chance is certain"


@dataclass(frozen=True, slots=True)
class Pair:
    """What a person and the rules said of one response."""

    benchmark: str
    person: str
    rules: str


def agreement(given: Iterable[Mapping[str, Any]], seed: int = 0) -> dict[str, Any]:
    """Compare `label` (a person's) with `found` (the rules'), a benchmark at a time and together."""
    labels, subtypes, parted, rule_sets = [], [], [], set()
    for number, row in enumerate(given):
        pair = _pair(row, ("label", "found"), LABELS, f"rows[{number}]")
        labels.append(pair)
        rule_sets.add(row.get("rule_set"))
        if pair.person != pair.rules:
            told = {name: row[name] for name in ("id", "benchmark") if name in row}
            parted.append({**told, "row": number, "label": pair.person, "found": pair.rules})
        elif pair.person == "a" and row.get("avoidance") is not None and row.get("found_avoidance") is not None:
            subtypes.append(_pair(row, ("avoidance", "found_avoidance"), SUBTYPES, f"rows[{number}]"))
    if len(rule_sets) > 1:
        raise InputError("the labels come from several rule sets", where="rule_set", next="compare one at a time")
    return {
        **_parts(labels, LABELS, seed),
        "avoidance": _parts(subtypes, SUBTYPES, seed),
        "parted": parted,
        "rule_set": next(iter(rule_sets), None) or {"missing": "the rows do not name it"},
        "ci": {
            "level": str(LEVEL),
            "shares": "Wilson",
            "kappa": f"percentiles of {RESAMPLES} bootstrap resamples of responses, within benchmark",
        },
    }


def _pair(row: Mapping[str, Any], names: tuple[str, str], classes: Sequence[str], where: str) -> Pair:
    if not isinstance(row, Mapping):
        raise InputError("a row is not an object", where=where, next="give rows of label and found")
    for name in names:
        if row.get(name) not in classes:
            raise InputError(f"`{name}` is none of {', '.join(classes)}", where=where, next="correct or drop the row")
    for name in ("benchmark", "rule_set"):
        if not isinstance(row.get(name, ""), str):
            raise InputError(f"`{name}` is not text", where=where, next="give its name, or leave it out")
    return Pair(row.get("benchmark", ""), row[names[0]], row[names[1]])


def _parts(pairs: Sequence[Pair], classes: Sequence[str], seed: int) -> dict[str, Any]:
    """Give the measures of each benchmark and of all: together a resample keeps every benchmark's share."""
    strata = {name: [[0] * len(classes) for _ in classes] for name in sorted({pair.benchmark for pair in pairs})}
    for pair in pairs:
        strata[pair.benchmark][classes.index(pair.person)][classes.index(pair.rules)] += 1
    return {
        "benchmarks": {name: measures({name: own}, classes, seed) for name, own in strata.items() if name},
        "together": measures(strata, classes, seed),
    }


def measures(strata: Mapping[str, Matrix], classes: Sequence[str], seed: int) -> dict[str, Any]:
    """Give matrix, recall, precision, accuracy and Cohen's kappa of the sum of one or more matrices."""
    size = range(len(classes))
    whole = [[sum(each[row][column] for each in strata.values()) for column in size] for row in size]
    hits, by_person = [whole[place][place] for place in size], [sum(row) for row in whole]
    by_rules = [sum(row[place] for row in whole) for place in size]
    found, units = kappa(whole), max((sum(map(sum, own)) for own in strata.values()), default=0)
    return {
        "n": sum(by_person),
        "matrix": {name: dict(zip(classes, row, strict=True)) for name, row in zip(classes, whole, strict=True)},
        "recall": {classes[place]: share(hits[place], by_person[place]) for place in size},
        "precision": {classes[place]: share(hits[place], by_rules[place]) for place in size},
        "accuracy": share(sum(hits), sum(by_person), NOBODY),
        "kappa": absent(UNDEFINED if sum(by_person) else NOBODY)
        if found is None
        else beside(found, _resampled_kappa(strata, seed), units, UNDEFINED),
        "degenerate": units < FEWEST or found is None,
    }


def share(count: int, of: int, why: str = UNSEEN) -> dict[str, Any]:
    """Give a share with its Wilson interval, which stays within 0 and 1 however few there are."""
    if not of:
        return absent(why)
    centre = (count + _Z * _Z / 2) / (of + _Z * _Z)
    half = _Z * math.sqrt(count * (of - count) / of + _Z * _Z / 4) / (of + _Z * _Z)
    # Rounding must not push the exact ends inside: nobody missed means an upper end of 1.
    low = 0.0 if count == 0 else max(0.0, centre - half)
    return {"value": count / of, "interval": [low, 1.0 if count == of else min(1.0, centre + half)]}


def kappa(matrix: Sequence[Sequence[int]]) -> float | None:
    """Give Cohen's kappa, or None where agreement by chance is certain; in whole numbers until one division."""
    total = sum(map(sum, matrix))
    seen = total * sum(row[place] for place, row in enumerate(matrix))
    chance = sum(sum(row) * sum(other[place] for other in matrix) for place, row in enumerate(matrix))
    return None if total * total == chance else (seen - chance) / (total * total - chance)


def _resampled_kappa(strata: Mapping[str, Matrix], seed: int) -> Any:
    """Resample the responses of each benchmark: their counts in the cells are one multinomial draw a resample."""
    import numpy as np  # noqa: PLC0415 - heavy, and the command line loads this module

    size = len(next(iter(strata.values())))
    total: Any = np.zeros((RESAMPLES, size, size), dtype=np.int64)
    for name, own in strata.items():
        cells = np.array(own, dtype=np.int64).reshape(-1)
        source = np.random.Generator(np.random.PCG64(seeds.derive(seed, "agreement.bootstrap", name)))
        total += source.multinomial(cells.sum(), cells / cells.sum(), size=RESAMPLES).reshape(total.shape)
    n = int(total[0].sum())
    seen = n * np.trace(total, axis1=1, axis2=2)
    chance = (total.sum(axis=1) * total.sum(axis=2)).sum(axis=1)
    return ratio(seen - chance, n * n - chance)


def table(found: Mapping[str, Any]) -> str:
    """Print an agreement as a Markdown table for the documentation, with every cell of the matrix."""
    cells = [(person, rules) for person in LABELS for rules in LABELS]
    measured = ["accuracy", "kappa", *(f"recall {label}" for label in LABELS), *(f"precision {x}" for x in LABELS)]
    head = ["benchmark", "n", *measured, *(f"{person}→{rules}" for person, rules in cells)]
    lines = [head, ["---", *["---:"] * (len(head) - 1)]]
    for name, part in [*found["benchmarks"].items(), ("together", found["together"])]:
        values = [part["accuracy"], part["kappa"], *(part[kind][x] for kind in ("recall", "precision") for x in LABELS)]
        counts = [str(part["matrix"][person][rules]) for person, rules in cells]
        lines.append([name, str(part["n"]), *map(_spelt, values), *counts])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _spelt(measure: Mapping[str, Any]) -> str:
    value, ends = measure["value"], measure["interval"]
    if isinstance(value, Mapping):
        return "-"
    return f"{value:.2f}" + ("" if isinstance(ends, Mapping) else f" [{ends[0]:.2f}, {ends[1]:.2f}]")
