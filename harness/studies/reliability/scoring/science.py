"""The score step of the science benchmark: multiple-choice answers against the key.

It must never know who answered.
"""

from __future__ import annotations

from harness.errors import InputError
from harness.rowtypes import Gold, Item
from harness.scorers.outcome.result import NEWEST, V1, V2, LabelResult, chosen
from harness.scorers.outcome.science import LETTERS, science
from harness.scorers.outcome.v2.science import science as science_v2
from harness.studies.reliability.scoring.scored import part, score_step

RULES = {V1: science, V2: science_v2}


def label(item: Item, gold: Gold, text: str, rules: str = NEWEST) -> LabelResult:
    """Label one response by the options and the key; raises InputError for a key that is no option's letter."""
    options, key = part(item, "options"), part(gold, "gold", "target")
    if key not in tuple(LETTERS) or key not in options:
        raise InputError("the gold is not the letter of an option", where=f"gold {item['id']}")
    return chosen(rules, RULES)(options, key, text)


score = score_step(label)
