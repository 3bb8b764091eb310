"""The judging step of BERTScore: compares an answer with its target by the encoder that the manifest names.

Independent of the model that answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import encoded
from harness.rowtypes import Gold, Item


def judge(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the BERTScore of each answer against its target: precision, recall and F; 0 if a text is blank."""
    encoded.judge(params, inputs, out, lambda case: target(case.item, case.gold))


def target(item: Item, gold: Gold) -> str:
    """Return the reference text of an item: its target, or the option whose letter the target is."""
    said = str(gold["gold"]["target"])
    return str(item.get("options", {}).get(said, said))
