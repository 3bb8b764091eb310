"""The score steps of the fact scores (OURS), strict mode's primary metrics for tasks that word overlap cannot judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from harness.kit import graded
from harness.kit.graded import Seen
from harness.rowtypes import Found
from harness.studies.curie.grading import rouge
from harness.studies.curie.scoring import facts_code, facts_geo, facts_hfd, facts_hfe, facts_qecc
from harness.studies.curie.scoring.copies import copied
from harness.studies.curie.scoring.found import INVALID

SCORER = "facts"
RULES: Mapping[str, Callable[[str, str], Found]] = {
    "dft-c": facts_code.score,
    "hfd": facts_hfd.score,
    "hfe": facts_hfe.score,
    "qecc": facts_qecc.score,
    "geo": facts_geo.score,
}


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write F1 of the facts in each response, and ROUGE; 0 for a response that copies the document."""
    score_text = RULES[params["task"]]

    def rule(seen: Seen) -> Found:
        text = seen.response["text"]
        found = score_text(text, seen.gold["gold"]["truth"])
        if found["value"] and not isinstance(found["value"], Mapping) and copied(seen.item["input"]["text"], text):
            detail = {**found["detail"], "copied": True}
            detail["metrics"] = {**detail["metrics"], "facts_f1": 0}
            return {"value": 0, "outcome": INVALID, "detail": detail}
        return found

    graded.write_each(params, inputs, out, {SCORER: rule, rouge.SCORER: rouge.word_rule(params, inputs)})
