"""The score step of the text metrics: BLEU, ROUGE-2 and ROUGE-L of each answer against the gold answer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import graded
from harness.kit.graded import Seen
from harness.rowtypes import Found
from harness.studies.biomed.grading.text_metrics import stored, text_metrics
from harness.studies.biomed.terms import VERSION

SCORER, PRIMARY = "text", "ROUGEL"


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score per response: ROUGE-L against the gold answer, BLEU and ROUGE-2 beside; none for an error."""

    def rule(seen: Seen) -> Found:
        metrics = stored(text_metrics(seen.response["text"], str(seen.gold["gold"]["target"])))
        detail = {"metrics": dict(metrics), "mode": params["mode"], "version": VERSION}
        return {"value": metrics[PRIMARY], "detail": detail}

    graded.write(params, inputs, out, SCORER, rule)
