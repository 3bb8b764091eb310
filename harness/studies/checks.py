"""Sanity checks of a study's scorer: stand-in models that must be always right, or never.

It knows what each stand-in must reach and what it reached; never a rule, an item or a response.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def check(correct: int, scored: int, errors: int, share: Any, behaviour: Mapping[str, Any]) -> dict[str, Any]:
    """Check one stand-in's share of right answers against the share it was built to have; a real model has none."""
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
    """Compare what a stand-in reached with what it must reach exactly; nothing scored proves nothing, and fails."""
    if expected is None:
        return "reported"
    wanted = scored if expected == "all" else 0
    return "pass" if scored and correct == wanted else "fail"


def all_hold(verdicts: Iterable[str]) -> str:
    """Combine verdicts: all checks must hold; none at all is no proof, and fails."""
    found = list(verdicts)
    return "fail" if "fail" in found or not found else "pass"
