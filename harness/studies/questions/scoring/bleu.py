"""The scorer `bleu`: BLEU of an answer against the target with the highest value.

Independent of the model that answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import graded
from harness.rowtypes import Found
from harness.scorers.overlap.ngrams import bleu
from harness.studies.questions.compared import finding, targets


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score for each response: the best sentence BLEU over the target and the accepted answers."""
    graded.write(
        params, inputs, out, params["name"], lambda seen: translation(seen.response["text"], seen.gold["gold"])
    )


def translation(response: str, gold: Mapping[str, Any]) -> Found:
    """Score one answer by BLEU against its best target; the brevity penalty is in the detail."""
    best = max((bleu(response, target) for target in targets(gold)), key=lambda one: one.bleu)
    return finding(best.bleu, None, metrics={"brevity_penalty": best.brevity_penalty})
