"""The score step of the science benchmark: multiple-choice answers against the key.

It must never know who answered.
"""

from __future__ import annotations

from harness.errors import InputError
from harness.rowtypes import Gold, Item
from harness.scorers.outcome.result import LabelResult
from harness.scorers.outcome.science import LETTERS, science
from harness.studies.reliability.scoring.scored import part, score_step


def label(item: Item, gold: Gold, text: str) -> LabelResult:
    """Label one response by the options and the key; raises InputError for a key that is no option's letter."""
    options, key = part(item, "options"), part(gold, "gold", "target")
    if key not in tuple(LETTERS) or key not in options:
        raise InputError("the gold is not the letter of an option", where=f"gold {item['id']}")
    return science(options, key, text)


score = score_step(label)
