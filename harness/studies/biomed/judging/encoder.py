"""The judging step of BERTScore: compares each answer with its gold answer by the encoder that a manifest names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import encoded


def judge(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the judgement of each answer: precision, recall and F of BERTScore; 0 if a text is blank."""
    encoded.judge(params, inputs, out, lambda case: str(case.gold["gold"]["target"]))
