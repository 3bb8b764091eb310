"""The score step of the transforms benchmark, kept apart from its maker: data must not depend on a scoring rule.

It must never know who answered.
"""

from __future__ import annotations

from harness.rowtypes import Gold, Item
from harness.scorers.outcome.result import NEWEST, V1, V2, LabelResult, chosen
from harness.scorers.outcome.transforms import transforms
from harness.scorers.outcome.v2.transforms import transforms as transforms_v2
from harness.studies.reliability.scoring.scored import part, score_step

RULES = {V1: transforms, V2: transforms_v2}


def label(item: Item, gold: Gold, text: str, rules: str = NEWEST) -> LabelResult:
    """Label one response by the item's text and its gold: target, accepted answers, pattern of an answer."""
    asked, target, right = part(item, "input", "text"), part(gold, "gold", "target"), gold["gold"]
    return chosen(rules, RULES)(asked, target, text, right.get("answer_shape"), right.get("accepted", ()))


score = score_step(label)
