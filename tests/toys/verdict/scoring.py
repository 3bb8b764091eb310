"""The score steps, by a judge and by a rule, and the analysis: means and counts by scorer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.kit import graded
from harness.kit.graded import Seen
from harness.rowtypes import Found, Score


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the mean of the grades that could be read, for each response."""
    graded.write(params, inputs, out, "verdict.grade", mean)


def mean(seen: Seen) -> Found:
    """Give the mean grade."""
    grades = [one["parsed"] for one in seen.judgements]
    return {"value": math.fsum(grades) / len(grades), "detail": {"grades": grades}}


def exact(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write for each response whether it is the sum, and whether its prompt asked for it."""
    graded.write(params, inputs, out, "verdict.exact", same)


def same(seen: Seen) -> Found:
    """Compare an answer with the sum."""
    assert seen.prompt and str(seen.item["input"]["a"]) in seen.prompt["text"]
    return {"value": int(seen.response["text"].strip() == seen.gold["gold"]["target"])}


def count(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Count by scorer what was scored, and what was not; and the mean of what was."""
    found: dict[str, list[Score]] = {}
    for row in rows.read(inputs["scores"], Score):
        found.setdefault(row["scorer"], []).append(row)
    told = {}
    for name, scores in sorted(found.items()):
        values = [row["value"] for row in scores if isinstance(row["value"], int | float)]
        told[name] = {"mean": math.fsum(values) / len(values), "n": len(values), **graded.states(scores)}
    rows.write_one(out / "graded", told)
