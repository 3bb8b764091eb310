"""The score step of a rubric: the mean grade that the judge's readable replies say, as a share of the best.

It must never know what was judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import graded
from harness.rowtypes import Found


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score for each response: 0 to 1; an error has none, nor an answer whose judge said no grade."""

    def rule(seen: graded.Seen) -> Found:
        grades = [int(one["parsed"]["grade"]) for one in seen.judgements]
        return {"value": sum(grades) / len(grades) / int(params["best"]), "detail": {"grades": grades}}

    graded.write(params, inputs, out, params["name"], rule)
