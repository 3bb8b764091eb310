"""The score step of BERTScore: the F value in the encoder's judgement of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import graded
from harness.kit.encoded import CUT, F
from harness.kit.graded import Seen
from harness.rowtypes import Found
from harness.studies.biomed.terms import VERSION

SCORER, METRIC = "bertscore", "BERTScore"


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score per response: F of BERTScore against the gold answer; an error has no score."""

    def rule(seen: Seen) -> Found:
        [judgement] = seen.judgements
        said = judgement["parsed"]
        detail = {"metrics": {METRIC: said[F]}, "mode": params["mode"], "version": VERSION, CUT: said[CUT]}
        return {"value": said[F], "detail": detail}

    graded.write(params, inputs, out, SCORER, rule)
