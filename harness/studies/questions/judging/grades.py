"""The score step of a rubric: the mean grade of the judge's readable replies, as a share of the best grade.

Does not see the answers that were judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import graded
from harness.rowtypes import Found


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score from 0 to 1 for each response, the mean of a judge's grades; no value without a grade."""

    def rule(seen: graded.Seen) -> Found:
        grades = [int(one["parsed"]["grade"]) for one in seen.judgements]
        return {"value": sum(grades) / len(grades) / int(params["best"]), "detail": {"grades": grades}}

    graded.write(params, inputs, out, params["name"], rule)
