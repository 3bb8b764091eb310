"""The shape of a finding: a primary metric, an outcome, and all metrics with the mode and version of their rules.

Plain values, independent of tasks, rules and texts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from harness.rowtypes import Found, Missing
from harness.studies.curie.tasks import VERSION

VALID, INVALID, BLANK, GOLD_INVALID = "valid", "invalid", "missing", "gold_invalid"  # outcomes of an answer
UNPARSED = "Can not parse model response"  # stored by the published code as a metric's value; counts as 0


def finding(mode: str, value: Any, outcome: str, metrics: Mapping[str, Any], **more: Any) -> Found:
    """Return a finding: `value` is the primary metric, and `more` is added to its detail beside the metrics."""
    detail = {"metrics": metrics, "mode": mode, "version": VERSION, **more}
    return {"value": value, "outcome": outcome, "detail": detail}


def without(mode: str, names: Iterable[str], outcome: str, why: str) -> Found:
    """Return a finding without any metric: each metric and the value are missing for the same reason."""
    return finding(mode, missing(why), outcome, {name: missing(why) for name in names})


def unusable(text: str) -> str:
    """Return the outcome of an answer that cannot be used: `missing` if it is blank, else `invalid`."""
    return INVALID if text.strip() else BLANK


def missing(why: str) -> Missing:
    """Return a missing value with its reason."""
    return {"missing": why}


def plain(value: float) -> float | str:
    """Return a number as rows hold it: `nan`, `inf` and `-inf` are texts."""
    if math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
