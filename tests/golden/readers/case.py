"""What a golden file says and what was found: cases, their comparison, and the reading of a file."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TOLERANCE = 1e-9
WORDS = ("rule", "tolerance", "name")  # what a file says about a case; nothing to compare


@dataclass
class Tally:
    """The count of one file and what to show of its failures."""

    passed: int = 0
    failed: int = 0
    waiting: int = 0
    failures: list[str] = field(default_factory=list)

    def fail(self, name: str, why: str) -> None:
        self.failed += 1
        self.failures.append(f"{name}: {why}")


def load(path: Path) -> dict[str, Any]:
    """Read a golden file; anything but one object is malformed."""
    value = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(value, dict):
        raise ValueError("not one JSON object")
    return value


def cases(golden: Mapping[str, Any], name: str = "cases") -> Iterator[tuple[str, Any]]:
    """Give the cases that a file lists under a name, and what each is called there."""
    listed = golden.get(name)
    if not isinstance(listed, list) or not listed:
        raise ValueError(f"`{name}` holds no cases")
    yield from ((f"{name}[{number}]", case) for number, case in enumerate(listed))


def cases_or_one(golden: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Give the cases of a file, or the file itself where it is one case."""
    return cases(golden) if "cases" in golden else iter([("the file", golden)])


def laid_out(case: Any, inputs: tuple[str, ...], expected: str = "expected") -> Any:
    """Lay what is expected beside what is given; a case that is written flat already stays as it is."""
    if not isinstance(case, dict) or not isinstance(case.get(expected), Mapping):
        return case
    return {**{name: case[name] for name in inputs if name in case}, **case[expected]}


def tolerance(golden: Mapping[str, Any]) -> float:
    """A file may give its own tolerance (reliability 8)."""
    given = golden.get("tolerance", TOLERANCE)
    if not isinstance(given, int | float) or isinstance(given, bool) or not 0 <= given <= 1e-3:
        raise ValueError(f"tolerance {given!r} is not a small number")
    return float(given)


def agree(expected: Any, found: Any, within: float) -> bool:
    """Compare as data: a truth value is no number, a list has its length, a float its tolerance."""
    if isinstance(expected, bool) or isinstance(found, bool):
        return expected is found
    if isinstance(expected, int | float) and isinstance(found, int | float):
        if isinstance(expected, int) and isinstance(found, int):
            return expected == found
        return math.isclose(expected, found, rel_tol=0, abs_tol=within)
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(map(lambda e, f: agree(e, f, within), expected, found))
    if isinstance(expected, dict) and isinstance(found, dict):
        return expected.keys() == found.keys() and all(agree(expected[key], found[key], within) for key in expected)
    return type(expected) is type(found) and expected == found


def check(  # every expected field a case holds is compared; a case that lacks one is malformed
    tally: Tally,
    name: str,
    case: Any,
    run: Callable[[Mapping[str, Any]], Mapping[str, Any]],
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    *,
    within: float = TOLERANCE,
    more: Mapping[str, Any] | None = None,
) -> None:
    """Run one case through the public door and count it."""
    if not isinstance(case, dict):
        tally.fail(name, f"malformed: not an object: {case!r:.80}")
        return
    if lacking := [key for key in (*inputs, *outputs) if key not in case]:
        tally.fail(name, f"malformed: lacks {', '.join(lacking)}")
        return
    try:
        found = run({**{key: case[key] for key in inputs}, **(more or {})})
        wrong = list(_differences({key: case[key] for key in case if key not in (*inputs, *WORDS)}, found, within))
    except Exception as bad:  # a golden run reports whatever a case brings to light
        tally.fail(name, f"{type(bad).__name__}: {bad}".replace("\n", " "))
        return
    if wrong:
        tally.fail(name, "; ".join(wrong))
    else:
        tally.passed += 1


def _differences(expected: Mapping[str, Any], found: Mapping[str, Any], within: float) -> Iterator[str]:
    for key, value in expected.items():
        if key not in found:
            yield f"{key}: expected {value!r}, found nothing"
        elif not agree(value, found[key], within):
            yield f"{key}: expected {value!r}, found {found[key]!r}"
