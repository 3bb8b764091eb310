"""The score step of BIOGR: the box of an answer against that of the ground truth."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import graded
from harness.kit.graded import Seen
from harness.rowtypes import Found
from harness.studies.curie.grading import rouge
from harness.studies.curie.scoring import boxes, boxes_strict
from harness.studies.curie.tasks import PAPER

SCORER = "boxes"


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write IoU of the answered and the right bounding box, and ROUGE, for each response, in the mode of `params`."""
    rules = boxes.score if params["mode"] == PAPER else boxes_strict.score

    def rule(seen: Seen) -> Found:
        return rules(seen.response["text"], seen.gold["gold"]["truth"])

    graded.write_each(params, inputs, out, {SCORER: rule, rouge.SCORER: rouge.word_rule(params, inputs)})
