"""The score step of the anagram benchmark, separate from its maker so that data do not depend on a scoring rule.

Independent of the model that answered.
"""

from __future__ import annotations

from harness.answers.anagram import anagram
from harness.answers.result import NEWEST, V1, V2, LabelResult, chosen
from harness.answers.v2.anagram import anagram as anagram_v2
from harness.errors import InputError
from harness.rowtypes import Gold, Item
from harness.studies.reliability.scoring.scored import part, score_step

RULES = {V1: anagram, V2: anagram_v2}


def label(item: Item, gold: Gold, text: str, rules: str = NEWEST) -> LabelResult:
    """Label one response as correct, avoidant or incorrect by the words that solve the anagram; else InputError."""
    letters, target = part(item, "input", "anagram"), part(gold, "gold", "target")
    if sorted(letters) != sorted(target):
        raise InputError("the gold is not made of the letters that are shown", where=f"gold {item['id']}")
    return chosen(rules, RULES)(letters, gold["gold"].get("accepted", ()), text, target)


score = score_step(label)
