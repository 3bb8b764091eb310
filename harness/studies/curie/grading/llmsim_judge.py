"""The score step of LLMSim by an LLM judge: its replies to the questions about an answer, in their order.

In paper mode no model repairs what cannot be read, as the published code would have one do: such an answer has no
metric, and says so. It must never know what the judge was asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.kit import graded
from harness.kit.graded import Seen
from harness.kit.judged import JUDGE_ERROR
from harness.rowtypes import Found, Missing
from harness.studies.curie.scoring import llmsim, llmsim_strict
from harness.studies.curie.tasks import PAPER

SCORER = "llmsim-judge"


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score for each response; one of whose questions the judge left unanswered has no value."""
    rules = llmsim.score if params["mode"] == PAPER else llmsim_strict.score

    def rule(seen: Seen) -> Found | Missing:
        replies = {row.get("question", 0): row["text"] for row in seen.judgements if row["repeat"] == 0}
        told = [replies.get(place) for place in range(len(replies))]
        if None in told:  # the provider failed on a question, and the next run asks again
            return {"missing": JUDGE_ERROR}
        try:
            return rules(params["task"], seen.gold["gold"]["truth"], seen.response["text"], told)
        except InputError:  # it failed on the last ones
            return {"missing": JUDGE_ERROR}

    graded.write(params, inputs, out, SCORER, rule)
