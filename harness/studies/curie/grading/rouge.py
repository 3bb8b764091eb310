"""ROUGE of every task: a rule that runs beside a task's own rule in one step, and a step for ROUGE alone."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from harness import rows
from harness.kit import graded
from harness.kit.graded import Seen
from harness.rowtypes import Found, Gold
from harness.studies.curie.reading.loose_json import Unreadable
from harness.studies.curie.scoring import rouge
from harness.studies.curie.scoring.found import GOLD_INVALID, without
from harness.studies.curie.scoring.references import reference_text

SCORER = "rouge"


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write ROUGE of each response against its reference text, in the mode that `params` name."""
    graded.write(params, inputs, out, SCORER, word_rule(params, inputs))


def word_rule(params: Mapping[str, Any], inputs: Mapping[str, Path]) -> graded.Rule:
    """Return a scoring rule that compares the words of an answer with its item's reference text (ROUGE)."""
    golds, mode = {row["id"]: row for row in rows.read(inputs["gold"], Gold)}, params["mode"]

    @cache
    def reference(item: str) -> str | Unreadable:
        try:
            return reference_text(params["task"], golds[item], mode)
        except Unreadable as bad:
            return bad

    def rule(seen: Seen) -> Found:
        text = reference(seen.item["id"])
        if isinstance(text, Unreadable):
            return without(mode, rouge.METRICS, GOLD_INVALID, f"the ground truth: {text}")
        return rouge.score(seen.response["text"], text, mode)

    return rule
