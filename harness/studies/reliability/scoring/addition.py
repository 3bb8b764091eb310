"""The score step of the addition benchmark, separate from its maker so that data do not depend on a scoring rule.

Independent of the model that answered.
"""

from __future__ import annotations

from typing import Any, TypeGuard

from harness.answers.addition import addition
from harness.answers.result import NEWEST, V1, V2, LabelResult, chosen
from harness.answers.v2.addition import addition as addition_v2
from harness.errors import InputError
from harness.rowtypes import Gold, Item
from harness.studies.reliability.scoring.scored import part, score_step

RULES = {V1: addition, V2: addition_v2}
MOST_DIGITS = 1_000  # the study's addends have up to 100; Python's own limit is 4,300


def label(item: Item, gold: Gold, text: str, rules: str = NEWEST) -> LabelResult:
    """Label one response to a sum as correct, avoidant or incorrect, by its addends.

    Raises InputError for malformed addends, and for a gold that is not their sum.
    """
    a, b = part(item, "input", "a"), part(item, "input", "b")
    if not (_is_decimal(a) and _is_decimal(b)):
        raise InputError("an addend is not a text of decimal digits", where=f"item {item['id']}")
    if part(gold, "gold", "target") != str(int(a) + int(b)):
        raise InputError("the gold is not the sum of the addends", where=f"gold {item['id']}")
    return chosen(rules, RULES)(a, b, text)


def _is_decimal(given: Any) -> TypeGuard[str]:
    """Whether int() accepts a value; its own error would quote the value, which may come from a secret item."""
    return isinstance(given, str) and given.isascii() and given.isdigit() and len(given) <= MOST_DIGITS


score = score_step(label)
