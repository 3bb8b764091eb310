"""The judging step of BERTScore: an answer beside its target, by the encoder that the manifest names.

It must never know who answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import encoded
from harness.rowtypes import Gold, Item


def judge(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the judgement of each answer: precision, recall and F of BERTScore; 0 where a text is blank."""
    encoded.judge(params, inputs, out, lambda case: target(case.item, case.gold))


def target(item: Item, gold: Gold) -> str:
    """Give the text that an answer is compared with; of a choice the target is a letter, and its option is meant."""
    said = str(gold["gold"]["target"])
    return str(item.get("options", {}).get(said, said))
