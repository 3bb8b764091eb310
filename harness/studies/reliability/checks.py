"""What a benchmark proves of its own scorer: stand-ins that must be right always, or never, and are.

It knows scores and what each stand-in is expected to reach; it must never know a rule, an item or a response.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the share each stand-in is found right, and whether that is what a sound scorer gives it."""
    behaviours: Mapping[str, Mapping[str, Any]] = params["behaviours"]
    scored: Counter[str] = Counter()
    correct: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    for row in rows.read(inputs["scores"]):
        model = row["model"]
        if isinstance(row["value"], Mapping):
            errors[model] += 1
            continue
        scored[model] += 1
        correct[model] += row["outcome"] == "c"
    models = {
        model: {
            "correct": correct[model] / scored[model] if scored[model] else {"missing": "no scored responses"},
            "n": scored[model],
            "errors": errors[model],
            "expected": behaviours.get(model, {}).get("expected"),
            "adversarial": behaviours.get(model, {}).get("adversarial", False),
            "verdict": verdict(behaviours.get(model, {}).get("expected"), correct[model], scored[model]),
        }
        for model in sorted({*behaviours, *scored, *errors})
    }
    failed = any(row["verdict"] == "fail" for row in models.values())
    rows.write_one(out / "checks", {"models": models, "verdict": "fail" if failed else "pass"})


def verdict(expected: str | None, correct: int, scored: int) -> str:
    """Hold what a stand-in reached against what it must reach exactly; nothing scored proves nothing, and fails."""
    if expected is None:
        return "reported"
    wanted = scored if expected == "all" else 0
    return "pass" if scored and correct == wanted else "fail"
