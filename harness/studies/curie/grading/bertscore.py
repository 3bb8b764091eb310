"""The score step of BERTScore, which turns the encoder's judgement of an answer into its score."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import graded
from harness.kit.graded import Seen
from harness.rowtypes import Found
from harness.studies.curie.judging.encoder import NAMES
from harness.studies.curie.scoring.found import GOLD_INVALID, VALID, finding, unusable, without

SCORER = "bertscore"


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score for each response: F of BERTScore against the reference text."""

    def rule(seen: Seen) -> Found:
        [judgement] = seen.judgements
        said = judgement["parsed"]
        if GOLD_INVALID in said:
            return without(params["mode"], NAMES, GOLD_INVALID, f"the ground truth: {said[GOLD_INVALID]}")
        outcome = VALID if seen.response["text"].strip() else unusable(seen.response["text"])
        metrics = {name: said[name] for name in NAMES}
        return finding(params["mode"], said["bert_f1"], outcome, metrics, cut=said["cut"])

    graded.write(params, inputs, out, SCORER, rule)
