"""The score step of the transforms benchmark, separate from its maker so that data do not depend on a scoring rule.

Independent of the model that answered.
"""

from __future__ import annotations

from harness.answers.result import NEWEST, V1, V2, LabelResult, chosen
from harness.answers.transforms import transforms
from harness.answers.v2.transforms import transforms as transforms_v2
from harness.rowtypes import Gold, Item
from harness.studies.reliability.scoring.scored import part, score_step

RULES = {V1: transforms, V2: transforms_v2}


def label(item: Item, gold: Gold, text: str, rules: str = NEWEST) -> LabelResult:
    """Label one response to a text task as correct, avoidant or incorrect, by target, accepted answers and pattern."""
    asked, target, right = part(item, "input", "text"), part(gold, "gold", "target"), gold["gold"]
    return chosen(rules, RULES)(asked, target, text, right.get("answer_shape"), right.get("accepted", ()))


score = score_step(label)
