"""The words for a test's counts; a test that exceeds its nominal size on noise is never called significant."""

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
    """Return words on how far a test's hits exceed chance, to follow a text such as `better in 12 of 40 units `.

    `size` is the measured share of units below .05 under the null `null`. `family` is the share of families with any
    hit after FDR under `family_null`. The words say `significant` only if both were measured and are at most 5 %. They
    never do for a test of rows between models of which neither contains the other.
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
