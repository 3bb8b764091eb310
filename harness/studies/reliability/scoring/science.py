"""The score step of the science benchmark: multiple-choice answers against the key.

Independent of the model that answered.
"""

from __future__ import annotations

from harness.answers.result import NEWEST, V1, V2, LabelResult, chosen
from harness.answers.science import LETTERS, science
from harness.answers.v2.science import science as science_v2
from harness.errors import InputError
from harness.rowtypes import Gold, Item
from harness.studies.reliability.scoring.scored import part, score_step

RULES = {V1: science, V2: science_v2}


def label(item: Item, gold: Gold, text: str, rules: str = NEWEST) -> LabelResult:
    """Label one response as correct, avoidant or incorrect, by options and key; InputError for a key of no option."""
    options, key = part(item, "options"), part(gold, "gold", "target")
    if key not in tuple(LETTERS) or key not in options:
        raise InputError("the gold is not the letter of an option", where=f"gold {item['id']}")
    return chosen(rules, RULES)(options, key, text)


score = score_step(label)
