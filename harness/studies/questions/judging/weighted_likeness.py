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
    """Write the BERTScore of each answer, by the options in `params` (weights, rescaling): precision, recall and F."""
    encoded_weighted.judge(params, inputs, out, target)
