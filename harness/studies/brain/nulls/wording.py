"""The words for a test's counts: nothing is called significant by a test that exceeds its nominal size on noise.

It knows counts and measured sizes; it must never know a score, nor compute a p-value.
"""

from __future__ import annotations

from math import isfinite

from harness.studies.brain.measures.families import ALPHA
from harness.studies.brain.measures.levels import ROW


def wording(level: str, size: float | None, *, null: str = "autocorrelated", nested: bool = True) -> str:
    """Say what a test at a level is worth, to stand behind `better in 12 of 40 units `.

    `size` is the measured share of units below .05 under that null. It says `significant` only where the size was
    measured and is at most 5 %, and not of a test of rows between models of which neither holds the other.
    """
    if size is None or not isfinite(size):
        return f"by the {level} test, whose size was not measured: no evidence"
    told = f"by the {level} test, whose size under an {null} null is {100 * size:.1f} % at nominal {100 * ALPHA:g} %"
    if size > ALPHA:
        return f"{told}: no evidence"
    if level == ROW and not nested:
        return f"{told}, but neither model holds the other and rows are no independent samples: no evidence"
    return f"{told}: significant"
