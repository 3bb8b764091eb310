"""Sequence metrics in strict mode (OURS: P2 to P6): identity of a BLOSUM62 alignment, and its excess over chance.

A sequence of more than 8,191 residues is not aligned: an answer is then worth 0, and with such a ground truth there is
no value. Independent of whether a program gave the answer.
"""

from __future__ import annotations

from harness.rowtypes import Found
from harness.studies.curie.reading.loose_json import Unreadable
from harness.studies.curie.reading.sequences_strict import read_gold, read_record
from harness.studies.curie.scoring.alignment import LONGEST, align, chance
from harness.studies.curie.scoring.found import GOLD_INVALID, INVALID, VALID, finding, missing, unusable, without
from harness.studies.curie.tasks import STRICT

PRIMARY, LEVEL = "chance_corrected", "chance_level"
COUNTS = ("n_gaps", "n_identities", "n_mismatches")
METRICS = ("identity_ratio", LEVEL, PRIMARY, *COUNTS)


def score(answer: str, truth: str) -> Found:
    """Score an answer, or its program's output, against a ground-truth file; without a record it is worth 0 (P2)."""
    predicted = read_record(answer)
    if predicted is None:
        return failed("no record with residues", truth, unusable(answer))
    if len(predicted) > LONGEST:
        return failed(f"a sequence of more than {LONGEST:,} residues", truth)
    try:
        gold = _gold(truth)
    except Unreadable as bad:
        return _without_gold(bad)
    metrics = compared(gold, predicted)
    return finding(STRICT, metrics[PRIMARY], VALID, metrics)


def failed(why: str, truth: str, outcome: str = INVALID) -> Found:
    """Return the finding of an answer without a sequence to compare, or whose program gave none: 0, and the reason."""
    try:
        _gold(truth)
    except Unreadable as bad:
        return _without_gold(bad)
    metrics = {name: missing(why) for name in (LEVEL, *COUNTS)} | {"identity_ratio": 0, PRIMARY: 0}
    return finding(STRICT, 0, outcome, metrics, why=why)


def compared(gold: str, predicted: str) -> dict[str, float]:
    """Return the metrics of two sequences of 1 to 8,191 residues in capitals."""
    found = align(gold, predicted)
    level = chance(gold, predicted)
    gaps, mismatches = found.columns - found.pairs, found.pairs - found.identities
    corrected = float(gold == predicted) if level == 1 else (found.identity - level) / (1 - level)  # P4, P6
    values = (found.identity, level, corrected, gaps, found.identities, mismatches)
    return dict(zip(METRICS, values, strict=True))


def _gold(truth: str) -> str:
    gold = read_gold(truth)
    if len(gold) > LONGEST:
        raise Unreadable(f"a sequence of more than {LONGEST:,} residues")
    return gold


def _without_gold(bad: Unreadable) -> Found:
    return without(STRICT, METRICS, GOLD_INVALID, f"the ground truth: {bad}")
