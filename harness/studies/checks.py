"""Sanity checks of a study's scorer: verdicts on stand-in models whose answers must all be right, or none.

It knows what each stand-in must reach and what it reached; never a rule, an item or a response.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def check(correct: int, scored: int, errors: int, share: Any, behaviour: Mapping[str, Any]) -> dict[str, Any]:
    """Give the check of one model's scores: its share of right answers, counts, and the verdict (see `verdict`).

    `behaviour` says what a stand-in was built to reach (`expected`: all, none); a real model has no such expectation.
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
    """Give `pass` if all (`expected` is `all`) or otherwise none of the scored answers are right, `fail` if not.

    Without an expectation, as for a real model, it is `reported`; with one, nothing scored proves nothing, and fails.
    """
    if expected is None:
        return "reported"
    wanted = scored if expected == "all" else 0
    return "pass" if scored and correct == wanted else "fail"


def all_hold(verdicts: Iterable[str]) -> str:
    """Combine verdicts: `fail` if one is `fail` or there is none at all, else `pass`; `reported` is no failure."""
    found = list(verdicts)
    return "fail" if "fail" in found or not found else "pass"
