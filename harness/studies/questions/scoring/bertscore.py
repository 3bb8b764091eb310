"""The score step of BERTScore: the F that the encoder's judgement of an answer holds.

Independent of the encoder.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import graded
from harness.kit.encoded import CUT, PRECISION, RECALL, F
from harness.rowtypes import Found


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score for each response: F of BERTScore, with precision and recall in the detail."""

    def rule(seen: graded.Seen) -> Found:
        [judgement] = seen.judgements
        said = judgement["parsed"]
        metrics = {"precision": said[PRECISION], "recall": said[RECALL]}
        return {"value": said[F], "detail": {"metrics": metrics, CUT: said[CUT]}}

    graded.write(params, inputs, out, params["name"], rule)
