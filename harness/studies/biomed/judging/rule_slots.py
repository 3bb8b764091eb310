"""What the readers of numbers share: the slot of a fact, and what a response says in that slot."""

from __future__ import annotations

from collections.abc import Sequence

from harness.studies.biomed.facts import Fact
from harness.studies.biomed.judging.rule_reading import ReadResponse
from harness.studies.biomed.reading.mentions import Mention

_SLOTS: tuple[tuple[str, str], ...] = (
    ("frequency", "frequency"),
    ("position", "position"),
    ("chromosome", "chromosome"),
    ("phase", "phase"),
    ("year", "year"),
    ("heidi", "heidi"),
    ("number of", "count"),
    ("count", "count"),
    ("effect", "b"),
    ("beta", "b"),
    ("p-value", "p"),
)


def slot_of(name: str) -> str:
    """Return the reader's slot for a fact's slot; the fact's own slot if the reader has none."""
    lower = name.lower()
    for part, slot in _SLOTS:
        if part in lower:
            return slot
    return {"b": "b", "p": "p"}.get(lower.split()[0] if lower else "", lower)


def of_slot(response: ReadResponse, *slots: str) -> tuple[list[Mention], list[Mention]]:
    """Return the mentions of the given slots that are not denied, and those that are."""
    said: list[Mention] = []
    denied: list[Mention] = []
    for one in response.mentions:
        if one.slot in slots:
            (denied if response.denied(one.start) else said).append(one)
    return said, denied


def integers(mentions: Sequence[Mention]) -> list[str]:
    """Return the distinct values of mentions in their order, without thousands separators."""
    return list(dict.fromkeys(one.text.replace(",", "") for one in mentions))


def others_of(one: Fact, facts: Sequence[Fact]) -> set[str]:
    """Return the values of the other facts in the same slot."""
    return {
        str(other["value"]) for other in facts if other is not one and slot_of(other["slot"]) == slot_of(one["slot"])
    }


def whole(one: Fact) -> str:
    """Return the value of a fact that holds a whole number or a letter, written as in mentions."""
    text = str(one["value"]).replace(",", "").upper()
    return text.removesuffix(".0")
