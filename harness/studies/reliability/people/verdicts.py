"""Verdicts of study S2: the row, its validation, and the scored label of the output judged.

Rule: docs/reliability-rules.md#people. Works on labels, names and difficulties; sees no output texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError
from harness.studies.reliability.measures.table import Table
from harness.studies.reliability.people.context import SurveyContext
from harness.studies.reliability.terms import LABELS, UNSCORED

HUMAN = (*LABELS, "u")  # possible verdicts on an output; u: unsure
FIELDS = ("participant_id", "benchmark", "instance_id", "model", "template", "verdict")


@dataclass(frozen=True, slots=True)
class HumanVerdict:
    """One person's verdict on one model's output, with the label that scoring gave it and the item's difficulty."""

    person: str
    benchmark: str
    item: str
    model: str
    outcome: str
    verdict: str
    difficulty: float


def verdicts(given: Iterable[Any], setting: SurveyContext) -> list[HumanVerdict]:
    """Check survey rows of study S2 and add each output's label; rows on items that no model was asked are left out.

    Raises InputError for a malformed row, an unknown item, an output without a label, or one output judged twice.
    """
    seen: set[tuple[str, ...]] = set()
    found = []
    for number, row in enumerate(given, 1):
        where = f"s2 row {number}"
        person, benchmark, item, model, wording, verdict = _fields(row, where)
        if verdict not in HUMAN:
            raise InputError("`verdict` is none of c, a, i, u", where=where)
        table = setting.table(benchmark, item, where)
        if table is None:
            continue
        outcome = _outcome(table, item, model, wording, setting.templates[benchmark], where)
        key = person, benchmark, item, model, wording
        if key in seen:
            raise InputError("a participant judges the same output twice", where=where, next="keep one of the two rows")
        seen.add(key)
        found.append(HumanVerdict(person, benchmark, item, model, outcome, verdict, table.items[item].difficulty))
    return found


def _fields(row: Any, where: str) -> tuple[str, ...]:
    """Return the row's FIELDS in order as text; raise InputError if one is not text (a template may be a number)."""
    values = [row.get(name) if isinstance(row, Mapping) else None for name in FIELDS]
    for name, value in zip(FIELDS, values, strict=True):
        if not isinstance(value, str | int if name == "template" else str):
            raise InputError(f"`{name}` is missing or not text", where=where, next=f"give {', '.join(FIELDS)}")
    return tuple(map(str, values))


def _outcome(table: Table, item: str, model: str, wording: str, templates: Sequence[Any], where: str) -> str:
    """Return the scored label of the output that was shown; raise InputError if it has none."""
    names = [str(each) for each in templates]
    text = table.labels.get(model, {}).get(item, "")
    label = text[names.index(wording)] if text and wording in names else UNSCORED
    if label == UNSCORED:
        raise InputError("the output that was shown has no label", where=where, next="leave the row out, or score it")
    return label
