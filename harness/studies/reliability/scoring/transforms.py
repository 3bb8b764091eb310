"""The score step of the transforms benchmark, kept apart from its maker: data must not depend on a scoring rule.

It must never know who answered.
"""

from __future__ import annotations

from harness.rowtypes import Gold, Item
from harness.scorers.outcome.result import LabelResult
from harness.scorers.outcome.transforms import transforms
from harness.studies.reliability.scoring.scored import part, score_step


def label(item: Item, gold: Gold, text: str) -> LabelResult:
    """Label one response by the item's text and its gold: target, accepted answers, pattern of an answer."""
    asked, target, right = part(item, "input", "text"), part(gold, "gold", "target"), gold["gold"]
    return transforms(asked, target, text, right.get("answer_shape"), right.get("accepted", ()))


score = score_step(label)
