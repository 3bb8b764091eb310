"""Mechanisms of action in a response: an action and its target that are said apart, or as what the drug does to it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from harness.studies.biomed.judging.rule_reading import ReadResponse
from harness.studies.biomed.reading.entities import kind_of
from harness.studies.biomed.reading.known_names import other_names

VERBS_OF = {  # what a drug of this action does to its target
    "agonist": ("activates", "activating", "stimulates", "stimulating"),
    "positive allosteric modulator": ("potentiates", "potentiating", "enhances", "positively modulates"),
    "negative allosteric modulator": ("dampens", "attenuates", "negatively modulates"),
}
_OF_TARGET = re.compile(r"[\w-]+(?: [a-z]+){0,2} (?:of|at|on|to|for) (?:the )?([A-Z][\w-]{2,30})")
_TARGET_OF = re.compile(r"([A-Z][\w-]{2,30}) $")


def elliptic(value: str, values: Sequence[str], response: ReadResponse) -> list[int]:
    """Return where a mechanism's action is said apart from its target: "agonist and opener of X", "it activates X"."""
    target, action = mechanism(value)
    if not target:
        return []
    targets = {name: response.words.places(name) for name in {mechanism(each)[0] for each in values} - {""}}
    if not targets[target]:
        return []
    ways = (action, *other_names(action), *VERBS_OF.get(action.lower(), ()))
    found = [place for place in response.words.first(ways) if not _at_another(place, target, response)]
    if len(targets) == 1:
        return found
    return [place for place in found if _nearest(place, targets, response) == target]


def _at_another(place: int, target: str, response: ReadResponse) -> bool:
    """Whether an action is said, in so many words, of another target: "opener of GEN0148", "GEN0148 opener"."""
    text = response.text.text
    behind = _OF_TARGET.match(text, place)
    before = _TARGET_OF.search(text, max(0, place - 40), place)
    if numbered := re.fullmatch(r"(.*\D) (\d+)", target):
        told = re.search(rf"\b{re.escape(numbered[1])} (\d+) $", text[max(0, place - 60) : place], re.IGNORECASE)
        return told is not None and told[1] != numbered[2]
    named = [found[1] for found in (behind, before) if found and kind_of(found[1]) == "gene"]
    return bool(named) and all(name.lower() != target.lower() for name in named)


def mechanism(value: str) -> tuple[str, str]:
    """Return the target and the action of a mechanism such as "GEN0184 partial agonist"; empty if it is none."""
    words = value.split()
    for length in range(min(4, len(words) - 1), 0, -1):
        action = " ".join(words[-length:])
        if kind_of(action) == "action" or other_names(action):
            return " ".join(words[:-length]), action
    return "", ""


def _nearest(place: int, targets: Mapping[str, list[int]], response: ReadResponse) -> str:
    """Return the target that is said nearest to a place in its sentence; empty if there is none, or if two are."""
    span = response.span(place)
    far = sorted((abs(at - place), name) for name, places in targets.items() for at in places if at in span)
    return far[0][1] if far and (len(far) < 2 or far[0][0] < far[1][0]) else ""
