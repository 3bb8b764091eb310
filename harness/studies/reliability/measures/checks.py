"""Sanity checks of each benchmark's scorer: stand-in models that must be always right, or never.

It knows the models' totals on each benchmark and what each stand-in must reach; never a rule, an item or a response.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.studies.checks import all_hold, check
from harness.studies.reliability.terms import share


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write each stand-in's share of right answers, and whether a sound scorer would give it that."""
    behaviours: Mapping[str, Mapping[str, Any]] = params["behaviours"]
    [summary] = rows.read(inputs["proportions"])
    benchmarks = {
        benchmark: {
            model: _check(found.get(model), behaviours.get(model, {})) for model in sorted({*behaviours, *found})
        }
        for benchmark, found in summary["benchmarks"].items()
    }
    verdicts = (row["verdict"] for models in benchmarks.values() for row in models.values())
    rows.write_one(out / "checks", {"benchmarks": benchmarks, "verdict": all_hold(verdicts)})


def _check(totals: Mapping[str, Any] | None, behaviour: Mapping[str, Any]) -> dict[str, Any]:
    """Check one model on one benchmark against what it was built to reach."""
    totals = totals or {"counts": {"c": 0}, "n_scored": 0, "errors": 0}
    scored, correct = totals["n_scored"], totals["counts"]["c"]
    return check(correct, scored, totals["errors"], share(correct, scored), behaviour)
