"""The score step of LLMSim with an LLM judge: scores an answer by the judge's replies to its questions, in order.

In paper mode, no model repairs an answer that cannot be read, unlike in the published code. Such an answer has no
metric, and its score says so. Does not see the judge's prompts.
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
    """Write the LLMSim score of each response from a judge model's matches; no value if a question is unanswered."""
    rules = llmsim.score if params["mode"] == PAPER else llmsim_strict.score

    def rule(seen: Seen) -> Found | Missing:
        replies = {row.get("question", 0): row["text"] for row in seen.judgements if row["repeat"] == 0}
        told = [replies.get(place) for place in range(len(replies))]
        if None in told:  # the provider failed on a question, so the next run asks again
            return {"missing": JUDGE_ERROR}
        try:
            return rules(params["task"], seen.gold["gold"]["truth"], seen.response["text"], told)
        except InputError:  # the provider failed on the last questions
            return {"missing": JUDGE_ERROR}

    graded.write(params, inputs, out, SCORER, rule)
