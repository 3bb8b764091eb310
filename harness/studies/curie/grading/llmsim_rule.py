"""The score step of LLMSim with the rule judge: a maximum matching of the pairs that the rule admits, in either mode.

The rule is OURS, and so are its values in paper mode.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import graded
from harness.kit.graded import Seen
from harness.rowtypes import Found
from harness.studies.curie.grading import rouge
from harness.studies.curie.scoring.found import VALID, unusable
from harness.studies.curie.scoring.llmsim_strict import found_pairs

SCORER = "llmsim-rule"


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the LLMSim score of each response from a rule's matches of items, and ROUGE."""

    def rule(seen: Seen) -> Found:
        [judgement] = seen.judgements
        return of_pairs(judgement["parsed"], seen.response["text"], params["mode"])

    graded.write_each(params, inputs, out, {SCORER: rule, rouge.SCORER: rouge.word_rule(params, inputs)})


def of_pairs(said: Mapping[str, Any], response: str, mode: str) -> Found:
    """Return an answer's score from the pairs of gold and predicted items that the rule matched."""
    outcome = VALID if said["predictions"] else unusable(response)
    pairs = [(gold, prediction) for gold, prediction in said["pairs"]]
    counts = {"set_aside": said["set_aside"], "unread": said["unread"]}
    return found_pairs(said["gold"], said["predictions"], pairs, outcome, mode=mode, **counts)
