"""A golden case: what is given, what is expected, and the tool that is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from golden.agree import Within, differences
from golden.files import cases_or_one, load

WORDS = ("rule", "tolerance", "name", "id")  # what a file says about a case; nothing to compare
EXACT = Within(0.0)
USUAL = Within()
SMALL = 1e-3  # more than that no file may ask for itself; a reader may, since it is read with the code it holds
Run = Callable[[Mapping[str, Any]], Mapping[str, Any]]


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

    def add(self, other: Tally) -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.waiting += other.waiting


def laid_out(case: Any, inputs: tuple[str, ...], expected: str = "expected") -> Any:
    """Lay what is expected beside what is given; a case that is written flat already stays as it is."""
    if not isinstance(case, dict) or not isinstance(case.get(expected), Mapping):
        return case
    return {**{name: case[name] for name in inputs if name in case}, **case[expected]}


def tolerance(golden: Mapping[str, Any], usual: Within = USUAL, most: float = SMALL) -> Within:
    """Give the tolerance that a file asks for itself: a number, or {absolute, relative}; else the reader's own."""
    given = golden.get("tolerance")
    if given is None and "tolerance" not in golden:
        return usual
    both: dict[str, Any] = given if isinstance(given, dict) else {"absolute": given, "relative": 0}
    for size in both.values():
        if not isinstance(size, int | float) or isinstance(size, bool) or not 0 <= size <= most:
            raise ValueError(f"tolerance {size!r} is not a small number")
    if both.keys() != {"absolute", "relative"}:
        raise ValueError(f"a tolerance has `absolute` and `relative`, not {', '.join(both)}")
    return Within(float(both["absolute"]), float(both["relative"]))


def check(  # every expected field a case holds is compared; a case that lacks one is malformed
    tally: Tally,
    name: str,
    case: Any,
    run: Run,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    *,
    within: Within | Mapping[str, Within] = USUAL,
    more: Mapping[str, Any] | None = None,
) -> None:
    """Run one case through the public door and count it; a field may have a tolerance of its own."""
    if not isinstance(case, dict):
        tally.fail(name, f"malformed: not an object: {case!r:.80}")
        return
    if lacking := [key for key in (*inputs, *outputs) if key not in case]:
        tally.fail(name, f"malformed: lacks {', '.join(lacking)}")
        return
    expected = {key: case[key] for key in case if key not in (*inputs, *WORDS)}
    try:
        found = run({**{key: case[key] for key in inputs}, **(more or {})})
        wrong = [word for key, value in expected.items() for word in _of_field(key, value, found, within)]
    except Exception as bad:  # a golden run reports whatever a case brings to light
        tally.fail(name, f"{type(bad).__name__}: {bad}".replace("\n", " "))
        return
    if wrong:
        shown = "; ".join(wrong[:8])
        tally.fail(name, shown + (f"; and {len(wrong) - 8} more" if len(wrong) > 8 else ""))
    else:
        tally.passed += 1


def _of_field(key: str, value: Any, found: Mapping[str, Any], within: Within | Mapping[str, Within]) -> list[str]:
    if key not in found:
        return [f"{key}: expected {value!r:.200}, found nothing"]
    near = within if isinstance(within, Within) else within.get(key, USUAL)
    return list(differences(value, found[key], near, key))


def each(path: Path, tally: Tally, run: Run, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> None:
    """Read the usual file: one object that is a case or lists cases, its expectation flat or in `expected`."""
    golden = load(path)
    for name, case in cases_or_one(golden):
        check(tally, name, laid_out(case, inputs), run, inputs, outputs, within=tolerance(golden))
