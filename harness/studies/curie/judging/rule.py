"""The rule judge of LLMSim (OURS, by facts): decides which predicted items state the same as a gold item.

Its tables of names and units and its decisions are ours and use no model. Its certificate says how often it agrees with
people. Does not see which model answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.answers.units import VERSION as UNITS
from harness.errors import InputError
from harness.kit import judged
from harness.studies.curie.judging.normal import MOST as TEXT
from harness.studies.curie.judging.parameter_items import ParameterItem, why_parameters_differ
from harness.studies.curie.judging.property_items import why_properties_differ
from harness.studies.curie.judging.property_reading import PropertyItem
from harness.studies.curie.judging.structure_items import why_structures_differ
from harness.studies.curie.judging.structure_reading import StructureItem
from harness.studies.curie.reading.strict_json import Unreadable
from harness.studies.curie.scoring.llmsim_strict import gold_items, read_predictions

VERSION = f"facts-3, {UNITS}"  # version of the rule and its tables
MOST, LETTERS = 1_000, 400_000  # limits of what is compared in an answer: its first predictions, and their letters
SAME, DIFFERENT = "same", "different"
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SameItem:
    """The rule's decision on a gold item and a predicted one: whether they state the same, and if not, why."""

    matches: bool
    why: tuple[str, ...]

    @property
    def label(self) -> str:
        """The grade that a certificate compares with labels."""
        return SAME if self.matches else DIFFERENT


@dataclass(frozen=True, slots=True)
class _Kind:
    reads: Callable[[Mapping[str, Any]], Any]
    differ: Callable[[Any, Any], str]


_PROPERTY = _Kind(PropertyItem, why_properties_differ)
_KINDS: Mapping[str, _Kind] = {
    "dft-s": _Kind(StructureItem, why_structures_differ),
    "dft-p": _Kind(ParameterItem, why_parameters_differ),
    "mpv": _PROPERTY,
    "mpv-non-trivial": _PROPERTY,
    "mpv-specific": _PROPERTY,
}


def same(task: str, gold_item: Any, predicted_item: Any) -> SameItem:
    """Decide whether a predicted item states the same as a gold item: property, structure or parameters, by the task.

    A value that is not an object states nothing. Raises InputError for a task without such items.
    """
    kind = _kind(task)
    if not isinstance(gold_item, Mapping) or not isinstance(predicted_item, Mapping):
        return SameItem(False, ("one is no object",))
    why = kind.differ(kind.reads(gold_item), kind.reads(predicted_item))
    return SameItem(not why, (why,) if why else ())


def pairs(task: str, gold: Sequence[Any], predicted: Sequence[Any]) -> list[Pair]:
    """Return the positions of all gold and predicted items that state the same, among the predictions `compared`.

    Raises InputError for a task without such items.
    """
    kind = _kind(task)
    ours, theirs = (
        [(place, kind.reads(one)) for place, one in enumerate(side) if isinstance(one, Mapping)]
        for side in (gold, predicted[: compared(predicted)])
    )
    return [(g, p) for g, one in ours for p, two in theirs if not kind.differ(one, two)]


def compared(predicted: Sequence[Any]) -> int:
    """Return how many predictions of a list are compared: the first 1,000, or those within 400,000 letters."""
    letters = 0
    for place, one in enumerate(predicted[:MOST]):
        letters += _letters(one) if isinstance(one, Mapping) else 0
        if letters > LETTERS:
            return place
    return min(len(predicted), MOST)


def _letters(item: Mapping[str, Any]) -> int:
    """Count the letters of an item that are read: none of quoted passages, and of each field only the first."""
    values = (value for name, value in item.items() if "source" not in name)
    return sum(min(len(value), TEXT) if isinstance(value, str) else TEXT // 10 for value in values)


def _kind(task: str) -> _Kind:
    if task not in _KINDS:
        raise InputError(f"{task!r} has no items to compare", where="task", next=f"use one of: {', '.join(_KINDS)}")
    return _KINDS[task]


def judge(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the rule's judgement of every answer: counts, and the pairs of positions that state the same."""
    judged.rule(params, inputs, out, says)


def says(case: judged.JudgedCase) -> dict[str, Any]:
    """Return the rule's judgement of one answer: the numbers of gold items and predictions, and the matching pairs.

    `set_aside` counts gold items that are not asked about, `unread` the predictions after those that are `compared`.
    Gold that cannot be read has no items, and neither has an answer without a list.
    """
    task = case.item["task"]
    found, _ = read_predictions(case.response["text"])
    try:
        gold = gold_items(task, case.gold["gold"]["truth"])
    except Unreadable:
        return {"gold": 0, "predictions": len(found), "pairs": [], "set_aside": 0, "unread": 0}
    return {
        "gold": len(gold.items),
        "predictions": len(found),
        "pairs": [list(pair) for pair in pairs(task, gold.items, found)],
        "set_aside": gold.set_aside,
        "unread": len(found) - compared(found),
    }
