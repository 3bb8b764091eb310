"""The words for a test's counts: nothing is called significant by a test that exceeds its nominal size on noise.

It knows counts and measured sizes; it must never know a score, nor compute a p-value.
"""

from __future__ import annotations

from math import isfinite

from harness.studies.brain.measures.families import ALPHA
from harness.studies.brain.measures.levels import ROW

NULL = "autocorrelated"


def wording(
    level: str,
    size: float | None,
    *,
    null: str = NULL,
    nested: bool = True,
    family: float | None = 0.0,
    family_null: str = NULL,
) -> str:
    """Say what a test at a level is worth, to stand behind `better in 12 of 40 units `.

    `size` is the measured share of units below .05 under that null, `family` that of families with any hit after FDR
    under its own. It says `significant` only where both were measured and are at most 5 %, and not of a test of rows
    between models of which neither holds the other.
    """
    test = f"by the {level} test"
    if not (_is_known(size) and _is_known(family)):
        return f"{test}, whose size was not measured: no evidence"
    told = f"{test}, whose size under an {null} null is {100 * (size or 0):.1f} % at nominal {100 * ALPHA:g} %"
    if (size or 0) > ALPHA:
        return f"{told}: no evidence"
    if (family or 0) > ALPHA:
        share = f"{100 * (family or 0):.1f} % of families"
        return f"{test}, which under an {family_null} null finds something in {share}: no evidence"
    if level == ROW and not nested:
        return f"{told}, but neither model holds the other and rows are no independent samples: no evidence"
    return f"{told}: significant"


def _is_known(size: float | None) -> bool:
    return size is not None and isfinite(size)
