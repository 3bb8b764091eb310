"""The shape of a finding: a primary metric, an outcome, and all metrics with the mode and version they were made in.

Plain values. It must never know a task, a rule or a text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from harness.rowtypes import Found, Missing
from harness.studies.curie.tasks import VERSION

VALID, INVALID, BLANK, GOLD_INVALID = "valid", "invalid", "missing", "gold_invalid"  # how an answer fared
UNPARSED = "Can not parse model response"  # what the published code stores as a metric's value; it counts as 0


def finding(mode: str, value: Any, outcome: str, metrics: Mapping[str, Any], **more: Any) -> Found:
    """Give a finding: `value` is the primary metric, and `more` stands in its detail beside the metrics."""
    detail = {"metrics": metrics, "mode": mode, "version": VERSION, **more}
    return {"value": value, "outcome": outcome, "detail": detail}


def without(mode: str, names: Iterable[str], outcome: str, why: str) -> Found:
    """Give the finding of what has no metric at all: each is missing for one reason, and so is the value."""
    return finding(mode, missing(why), outcome, {name: missing(why) for name in names})


def unusable(text: str) -> str:
    """Name the outcome of an answer that cannot be used: `missing` where it is blank, else `invalid`."""
    return INVALID if text.strip() else BLANK


def missing(why: str) -> Missing:
    """Mark a value that cannot be had."""
    return {"missing": why}


def plain(value: float) -> float | str:
    """Spell a number as rows hold it: `nan`, `inf` and `-inf` are texts."""
    if math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
