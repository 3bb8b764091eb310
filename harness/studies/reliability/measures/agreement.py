"""Agreement of a rule set's labels with those of a person who read the same responses.

Rule: docs/reliability-rules.md#labels-agreement. Works on pairs of labels; independent of rules and response texts. A
cell is always named person -> rules. The measures and their intervals are OURS: the paper has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError
from harness.kit.agreement import measures
from harness.kit.resample import LEVEL, RESAMPLES
from harness.studies.reliability.terms import LABELS, SUBTYPES


@dataclass(frozen=True, slots=True)
class LabelPair:
    """A person's and the rules' label (or kind of avoidance) of one response, with its benchmark."""

    benchmark: str
    person: str
    rules: str


def agreement(given: Iterable[Mapping[str, Any]], seed: int = 0) -> dict[str, Any]:
    """Return agreement (confusion matrix, kappa) of people's labels and the rules', by benchmark and together.

    Returns the measures of labels and of avoidance subtypes, and the rows on which both differ. Raises InputError for a
    malformed row or several rule sets.
    """
    labels, subtypes, parted, rule_sets = [], [], [], set()
    for number, row in enumerate(given):
        pair = _pair(row, ("label", "found"), LABELS, f"rows[{number}]")
        labels.append(pair)
        rule_sets.add(row.get("rule_set"))
        if pair.person != pair.rules:
            identity = {name: row[name] for name in ("id", "benchmark") if name in row}
            parted.append({**identity, "row": number, "label": pair.person, "found": pair.rules})
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


def _pair(row: Mapping[str, Any], names: tuple[str, str], classes: Sequence[str], where: str) -> LabelPair:
    if not isinstance(row, Mapping):
        raise InputError("a row is not an object", where=where, next="give rows of label and found")
    for name in names:
        if row.get(name) not in classes:
            raise InputError(f"`{name}` is none of {', '.join(classes)}", where=where, next="correct or drop the row")
    for name in ("benchmark", "rule_set"):
        if not isinstance(row.get(name, ""), str):
            raise InputError(f"`{name}` is not text", where=where, next="give its name, or leave it out")
    return LabelPair(row.get("benchmark", ""), row[names[0]], row[names[1]])


def _parts(pairs: Sequence[LabelPair], classes: Sequence[str], seed: int) -> dict[str, Any]:
    """Return the measures of each benchmark and of all together; resamples are drawn within each benchmark."""
    strata = {name: [[0] * len(classes) for _ in classes] for name in sorted({pair.benchmark for pair in pairs})}
    for pair in pairs:
        strata[pair.benchmark][classes.index(pair.person)][classes.index(pair.rules)] += 1
    return {
        "benchmarks": {name: measures({name: own}, classes, seed) for name, own in strata.items() if name},
        "together": measures(strata, classes, seed),
    }


def table(found: Mapping[str, Any]) -> str:
    """Format the agreement of people's labels with the rules' as a Markdown table with the confusion matrix."""
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
