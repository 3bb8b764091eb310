"""The shared body of the benchmarks' score steps: it labels each response and writes the label as a score.

It must never know a benchmark, nor who answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, overload

from harness.errors import InputError
from harness.rowtypes import Found, Gold, Item
from harness.scorers.outcome import rule_sets
from harness.scorers.outcome.result import LabelResult
from harness.studies import scored

SCORER = "reliability.outcome"
Label = Callable[[Item, Gold, str], LabelResult]  # of the text of a response
LabelBy = Callable[[Item, Gold, str, str], LabelResult]  # by a rule set, named
Step = Callable[[Mapping[str, Any], Mapping[str, Path], Path], None]


def score_step(label: LabelBy) -> Step:
    """Make a score step from a function that labels a response by item, gold, text and the name of a rule set."""

    def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
        rules = rule_sets.of(params)
        write(inputs, out, lambda item, gold, text: label(item, gold, text, rules))

    return score


def write(inputs: Mapping[str, Path], out: Path, label: Label) -> None:
    """Write `scores`, one for each response: value 1 for c and 0 for a or i, the outcome, and the label's detail.

    A response that is an error gets no value.
    """

    def rule(item: Item, gold: Gold, text: str) -> Found:
        detail = label(item, gold, text).row()
        outcome = detail.pop("label")
        return {"value": int(outcome == "c"), "outcome": outcome, "detail": detail}

    scored.write(inputs, out, SCORER, rule)


@overload
def part(row: Item, field: Literal["input", "options"], *path: str) -> Any: ...
@overload
def part(row: Gold, field: Literal["gold"], *path: str) -> Any: ...
def part(row: Item | Gold, field: str, *path: str) -> Any:
    """Read a (nested) field of an item or a gold; where it is missing, the InputError names row and field."""
    found: Any = row
    for name in (field, *path):
        if not isinstance(found, Mapping) or name not in found:
            raise InputError(f"the field {name!r} is missing", where=f"{'/'.join((field, *path))} of {row['id']}")
        found = found[name]
    return found
