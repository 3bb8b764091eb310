"""The score step of PDB: the sequence of an answer, or of its program's output, against that of the ground truth."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import graded
from harness.kit.graded import Seen
from harness.rowtypes import Found
from harness.studies.curie.code import pdb_scores
from harness.studies.curie.grading import rouge

SCORER, TRIAL = "sequence", "program"


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the identity of the answered and the right protein sequence, and ROUGE, for each response."""

    def rule(seen: Seen) -> Found:
        document, trial = seen.item["input"]["text"], seen.trials.get(TRIAL)
        return pdb_scores.score(seen.response["text"], seen.gold["gold"]["truth"], document, trial, params["mode"])

    graded.write_each(params, inputs, out, {SCORER: rule, rouge.SCORER: rouge.word_rule(params, inputs)})
