"""Sanity checks of each benchmark's scorer: stand-in models built to be always right, or never, must score so.

Works on the models' totals on each benchmark, and on what each stand-in must reach.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.studies.reliability.terms import share


def check(correct: int, scored: int, errors: int, share: Any, behaviour: Mapping[str, Any]) -> dict[str, Any]:
    """Return one model's share of right answers and counts, and whether it is as expected (see `verdict`).

    `behaviour` says what a stand-in was built to reach (`expected`: all, none). A real model has no expectation.
    """
    expected = behaviour.get("expected")
    return {
        "correct": share,
        "n": scored,
        "errors": errors,
        "expected": expected,
        "adversarial": behaviour.get("adversarial", False),
        "verdict": verdict(expected, correct, scored),
    }


def verdict(expected: str | None, correct: int, scored: int) -> str:
    """Return `pass` if all (`expected` is `all`), or else none, of the scored answers are right; otherwise `fail`.

    Without an expectation, as for a real model, it is `reported`. With one, a check without scored answers fails.
    """
    if expected is None:
        return "reported"
    wanted = scored if expected == "all" else 0
    return "pass" if scored and correct == wanted else "fail"


def all_hold(verdicts: Iterable[str]) -> str:
    """Combine the verdicts of checks: `fail` if one is `fail` or there are none, else `pass`."""
    found = list(verdicts)
    return "fail" if "fail" in found or not found else "pass"


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `checks`: whether each stand-in model's share of right answers is as expected.

    A stand-in has `pass` or `fail`, another model `reported`. The overall verdict is `fail` if one model's is, or if
    there are no models.
    """
    behaviours: Mapping[str, Mapping[str, Any]] = params["behaviours"]
    [summary] = rows.read(inputs["proportions"])
    benchmarks = {
        benchmark: {
            model: _check(benchmark, found.get(model), behaviours.get(model, {}))
            for model in sorted({*behaviours, *found})
        }
        for benchmark, found in summary["benchmarks"].items()
    }
    verdicts = (row["verdict"] for models in benchmarks.values() for row in models.values())
    rows.write_one(out / "checks", {"benchmarks": benchmarks, "verdict": all_hold(verdicts)})


def _check(benchmark: str, totals: Mapping[str, Any] | None, behaviour: Mapping[str, Any]) -> dict[str, Any]:
    """Check one model's totals on one benchmark against what its behaviour must reach there, if anything."""
    behaviour = {**behaviour, "expected": behaviour.get("expected_on", {}).get(benchmark, behaviour.get("expected"))}
    totals = totals or {"counts": {"c": 0}, "n_scored": 0, "errors": 0}
    scored, correct = totals["n_scored"], totals["counts"]["c"]
    return check(correct, scored, totals["errors"], share(correct, scored), behaviour)
