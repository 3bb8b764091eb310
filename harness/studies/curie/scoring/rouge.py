"""ROUGE as the published notebook prints it: rouge1, rouge2 and rougeLsum, F-measures from 0 to 100.

Rule: docs/curie.md#paper-rouge. rougeLsum is what the paper calls ROUGE-L. Independent of the task, and of how a
reference was made.
"""

from __future__ import annotations

import re

from harness.rowtypes import Found, Missing
from harness.scorers.overlap import rouge as overlap
from harness.studies.curie.scoring.found import BLANK, VALID, finding, missing

SUM = "rougeLsum"
METRICS = ("rouge1", "rouge2", SUM)
# OURS: a text of megabytes is not compared line by line. A model's answer and a record are far shorter.
MOST_CELLS = 500_000_000  # words of one text times words of the other
MOST_STEPS = 4_000_000  # words of a prediction times lines of a reference
_WORD = re.compile(r"[a-z0-9]+")


def rouge(prediction: str, reference: str) -> dict[str, float | Missing]:
    """Return each metric of a prediction, both texts raw; a full stop between blanks ends a line, as a line feed does.

    rougeLsum is missing if the texts are too long for it.
    """
    ours, theirs = (text.replace(" . ", " .\n") for text in (prediction, reference))
    kinds = METRICS if _comparable(ours, theirs) else METRICS[:-1]
    found = overlap.rouge(ours, theirs, kinds)
    values: dict[str, float | Missing] = {kind: 100 * found[kind].fmeasure for kind in kinds}
    return values if SUM in values else {**values, SUM: missing("the texts are too long to be compared line by line")}


def score(response: str, reference: str, mode: str) -> Found:
    """Score a response against a reference text by rougeLsum; a blank response is worth 0."""
    metrics = rouge(response, reference)
    return finding(mode, metrics[SUM], VALID if response.strip() else BLANK, metrics)


def _comparable(ours: str, theirs: str) -> bool:
    """Whether the work is bounded; words are only counted if the texts are so long that it matters."""
    lines = theirs.count("\n") + 1
    for count in (_at_most, _words):
        words = count(ours)
        if words * lines <= MOST_STEPS and words * count(theirs) <= MOST_CELLS:
            return True
    return False


def _at_most(text: str) -> int:
    return len(text) // 2 + 1


def _words(text: str) -> int:
    return sum(1 for _ in _WORD.finditer(text.lower()))
