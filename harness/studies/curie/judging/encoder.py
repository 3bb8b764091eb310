"""The judging step of BERTScore: compares an answer with its reference by vectors of the encoder in the manifest.

The encoder's own layer and window are used. Values of an encoder other than the paper's are never compared with those
of the paper. Does not see which model answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import encoded
from harness.kit.judged import JudgedCase
from harness.studies.curie.reading.loose_json import Unreadable
from harness.studies.curie.scoring.found import GOLD_INVALID
from harness.studies.curie.scoring.references import reference_text

NAMES = (encoded.PRECISION, encoded.RECALL, encoded.F)


def judge(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the judgement of each answer: precision, recall and F, and which of the two texts were cut."""

    def reference(case: JudgedCase) -> str | Mapping[str, Any]:
        try:
            return reference_text(params["task"], case.gold, params["mode"])
        except Unreadable as bad:
            return {GOLD_INVALID: str(bad)}

    encoded.judge(params, inputs, out, reference)
