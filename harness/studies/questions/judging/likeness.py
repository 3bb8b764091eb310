"""The judging step of BERTScore: an answer beside its target, by the encoder that the manifest names.

It must never know who answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.studies import encoded
from harness.studies.judged import JudgedCase


def judge(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the judgement of each answer: precision, recall and F of BERTScore; 0 where a text is blank."""

    def reference(case: JudgedCase) -> str:
        target = str(case.gold["gold"]["target"])
        return str(case.item.get("options", {}).get(target, target))  # of a choice the target is a letter

    encoded.judge(params, inputs, out, reference)
