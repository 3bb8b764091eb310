"""Sequence metrics as the published notebook computes them with biopython 1.85 (docs/curie.md#paper-sequences).

In that version a gap costs nothing, so the first alignment has no mismatch, and every count follows from the length of
the longest common subsequence. Independent of whether a program gave the answer.
"""

from __future__ import annotations

from harness.rowtypes import Found
from harness.studies.curie.reading.loose_json import Unreadable
from harness.studies.curie.reading.sequences import gold_sequence, read_sequence
from harness.studies.curie.scoring.alignment import common, comparable, edits
from harness.studies.curie.scoring.found import (
    GOLD_INVALID,
    INVALID,
    UNPARSED,
    VALID,
    finding,
    plain,
    unusable,
    without,
)
from harness.studies.curie.tasks import PAPER

PRIMARY = "identity_ratio"
METRICS = ("n_gaps", "n_identities", "n_mismatches", "normalized_levenshtein_distance", PRIMARY)
OF_NONE = (*METRICS, "rouge1", "rouge2", "rougeLsum")  # metrics that the notebook fills in if it finds no sequence


def score(answer: str, truth: str) -> Found:
    """Score an answer, or its program's output, against a ground truth (the file's text or its preprocessed form).

    An answer without a sequence is worth 0. If the published code raises, or the texts are too long to be compared,
    every metric is missing.
    """
    try:
        gold = gold_sequence(truth)
    except Unreadable as bad:
        return without(PAPER, METRICS, GOLD_INVALID, f"the ground truth: {bad}")
    predicted = read_sequence(answer)
    if predicted is None:
        return finding(PAPER, 0, unusable(answer), dict.fromkeys(OF_NONE, UNPARSED))
    if not comparable(gold, predicted):
        return without(PAPER, METRICS, INVALID, "the sequences are too long to be compared")
    metrics = {name: plain(value) for name, value in compared(gold, predicted).items()}
    return finding(PAPER, metrics[PRIMARY], VALID, metrics)


def failed(why: str, truth: str) -> Found:
    """Return the finding of an answer whose program gave none: the published code raises, so no metric has a value."""
    try:
        gold_sequence(truth)
    except Unreadable as bad:
        return without(PAPER, METRICS, GOLD_INVALID, f"the ground truth: {bad}")
    return without(PAPER, METRICS, INVALID, why)


def compared(gold: str, predicted: str) -> dict[str, float]:
    """Return the five metrics of two texts, for which `comparable` must hold; an empty one counts as one blank."""
    left, right = gold or " ", predicted or " "
    same = common(left, right)
    both = len(left) + len(right)
    distance = edits(left, right) / max(len(left), len(right))
    return dict(zip(METRICS, (both - 2 * same, same, 0, distance, same / (both - same)), strict=True))
