"""What a study proves of its own scorer: stand-ins that must be right always, or never, and are.

It knows what each stand-in must reach and what it reached; never a rule, an item or a response.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def check(correct: int, scored: int, errors: int, share: Any, behaviour: Mapping[str, Any]) -> dict[str, Any]:
    """Hold one model against what it was built to reach; a real model was built to reach nothing."""
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
    """Hold what a stand-in reached against what it must reach exactly; nothing scored proves nothing, and fails."""
    if expected is None:
        return "reported"
    wanted = scored if expected == "all" else 0
    return "pass" if scored and correct == wanted else "fail"


def together(verdicts: Iterable[str]) -> str:
    """Say whether all checks hold; none at all is no proof, and fails."""
    found = list(verdicts)
    return "fail" if "fail" in found or not found else "pass"
