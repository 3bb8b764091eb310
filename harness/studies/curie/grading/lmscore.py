"""The score step of LMScore (OURS: the paper published no prompt): the probabilities of the first word of the judge."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import graded
from harness.kit.graded import Seen
from harness.rowtypes import Found, Missing
from harness.studies.curie.scoring import lmscore

SCORER = "lmscore"


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the LMScore of each response from a judge's token probabilities; none if the judge was not asked."""

    def rule(seen: Seen) -> Found | Missing:
        if not seen.judgements:
            return {"missing": "the ground truth has no text to rate an answer by"}
        return lmscore.score(seen.judgements[0]["parsed"]["top_logprobs"], params["mode"])

    graded.write(params, inputs, out, SCORER, rule)
