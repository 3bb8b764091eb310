"""The judging step of BERTScore at a given layer, with idf weights or rescaled, by the manifest's encoder.

Independent of the model that answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import encoded_weighted
from harness.studies.questions.judging.likeness import target


def judge(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the judgement of each answer: precision, recall and F of BERTScore, computed as `params` say."""
    encoded_weighted.judge(params, inputs, out, target)
