"""What a benchmark proves of its own scorer: stand-ins that must be right always, or never, and are.

It knows the models' totals on each benchmark and what each stand-in must reach; never a rule, an item or a response.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.studies.reliability.terms import share


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the share each stand-in is found right, and whether that is what a sound scorer gives it."""
    behaviours: Mapping[str, Mapping[str, Any]] = params["behaviours"]
    [summary] = rows.read(inputs["proportions"])
    benchmarks = {
        benchmark: {
            model: _check(found.get(model), behaviours.get(model, {})) for model in sorted({*behaviours, *found})
        }
        for benchmark, found in summary["benchmarks"].items()
    }
    verdicts = [row["verdict"] for models in benchmarks.values() for row in models.values()]
    failed = "fail" in verdicts or not verdicts
    rows.write_one(out / "checks", {"benchmarks": benchmarks, "verdict": "fail" if failed else "pass"})


def _check(totals: Mapping[str, Any] | None, behaviour: Mapping[str, Any]) -> dict[str, Any]:
    """Hold one model on one benchmark against what it was built to reach; a real model was built to reach nothing."""
    totals = totals or {"counts": {"c": 0}, "n_scored": 0, "errors": 0}
    scored, correct = totals["n_scored"], totals["counts"]["c"]
    expected = behaviour.get("expected")
    return {
        "correct": share(correct, scored),
        "n": scored,
        "errors": totals["errors"],
        "expected": expected,
        "adversarial": behaviour.get("adversarial", False),
        "verdict": verdict(expected, correct, scored),
    }


def verdict(expected: str | None, correct: int, scored: int) -> str:
    """Hold what a stand-in reached against what it must reach exactly; nothing scored proves nothing, and fails."""
    if expected is None:
        return "reported"
    wanted = scored if expected == "all" else 0
    return "pass" if scored and correct == wanted else "fail"
