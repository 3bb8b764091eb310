"""The judging step of BERTScore at a layer, with weights of rarity or rescaled, by the encoder that the manifest names.

It must never know who answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import encoded_weighted
from harness.studies.questions.judging.likeness import target


def judge(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the judgement of each answer: precision, recall and F of BERTScore, as `params` say."""
    encoded_weighted.judge(params, inputs, out, target)
