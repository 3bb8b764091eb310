"""Meanings of the labels in a table of scores: the shares of correct, avoidant and incorrect answers.

Independent of rules, items and answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.kit.meaning import MAIN, Meaning
from harness.rowtypes import Score
from harness.studies.reliability.scoring.scored import SCORER

AVOIDANT, INCORRECT = "avoidant", "incorrect"
_BLANK = "answers nothing"
MEANINGS: Mapping[str, Meaning] = {
    SCORER: Meaning("share of answers that are correct", "higher", 0, 1, 0, _BLANK),
    f"{SCORER}/{AVOIDANT}": Meaning("share of answers that avoid the question", "neither", 0, 1, 1, _BLANK),
    f"{SCORER}/{INCORRECT}": Meaning("share of answers that are given and wrong", "lower", 0, 1, 0, _BLANK),
}


def metrics(row: Score) -> dict[str, Any]:
    """Return an answer's metrics from its score: 1 or 0 for correct, avoidant, incorrect; empty without a label."""
    label = row.get("outcome")
    if label is None:
        return {}
    return {MAIN: row["value"], AVOIDANT: int(label == "a"), INCORRECT: int(label == "i")}
