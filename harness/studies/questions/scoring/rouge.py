"""The scorer `rouge`: ROUGE-1, -2, -L and -Lsum of an answer against the target with the highest value.

Independent of the model that answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import graded
from harness.rowtypes import Found
from harness.scorers.overlap.ngrams import Overlap
from harness.scorers.overlap.rouge import KINDS, rouge
from harness.studies.questions.compared import finding, targets, without

SUM = "rougeLsum"
LONGEST = 200_000  # characters of either text; the work grows with the product of their lengths
MOST_STEPS = 4_000_000  # words of an answer times lines of a target, that rougeLsum compares
TOO_LONG = "the texts are too long to be compared"


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score for each response: the F-measure of one kind of ROUGE, with the others in the detail."""
    kind, stem = str(params["kind"]), bool(params["stem"])
    graded.write(
        params,
        inputs,
        out,
        params["name"],
        lambda seen: similarity(seen.response["text"], seen.gold["gold"], kind, stem=stem),
    )


def similarity(response: str, gold: Mapping[str, Any], kind: str, *, stem: bool = False) -> Found:
    """Score one answer by ROUGE (F-measure of `kind`) against its best target; no value if texts are too long."""
    wanted = targets(gold)
    if any(len(text) > LONGEST for text in (response, *wanted)):
        return without(TOO_LONG)
    kinds = [one for one in KINDS if one != SUM or all(_comparable(response, target) for target in wanted)]
    if kind not in kinds:
        return without(TOO_LONG)
    found: list[dict[str, Overlap]] = [rouge(response, target, kinds, stem=stem) for target in wanted]
    best = max(found, key=lambda one: one[kind].fmeasure)
    return finding(best[kind].fmeasure, None, metrics={one: best[one].fmeasure for one in kinds})


def _comparable(response: str, target: str) -> bool:
    return (len(response) // 2 + 1) * (target.count("\n") + 1) <= MOST_STEPS
