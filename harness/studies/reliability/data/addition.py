"""The maker of the addition benchmark: seeded pairs of addends, and their difficulty.

Rule: docs/reliability-rules.md#addition. Independent of prompts, models and scoring.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import rows, seeds
from harness.errors import InputError
from harness.rowtypes import Gold, Item
from harness.studies.reliability.data.budget import token_budget
from harness.studies.reliability.data.difficulty import calibrated
from harness.studies.reliability.data.ids import ids

TASK = "addition"
GENERATOR_VERSION = "1"
MOST_DIGITS = 100
FILTER = 50  # an instance is removed when the harmonic mean of its digit counts is larger
_DECIMAL = re.compile(r"0|[1-9][0-9]*", re.ASCII)


def carries(a: str, b: str) -> int:
    """Return the number of carries in the addition a + b, a leading one included.

    This is f_cry (docs/reliability-rules.md#difficulty).
    """
    width = max(len(a), len(b))
    found = carry = 0
    for left, right in zip(reversed(a.zfill(width)), reversed(b.zfill(width)), strict=True):
        carry = int(left) + int(right) + carry >= 10
        found += carry
    return found


def harmonic_digits(a: str, b: str) -> float:
    """Return the harmonic mean of two addends' digit counts (f_hrm), by which pairs are filtered."""
    return 2 * len(a) * len(b) / (len(a) + len(b))


def kept(a: str, b: str) -> bool:
    """Whether the benchmark keeps a pair of addends: f_hrm, the harmonic mean of their digits, is at most FILTER."""
    return 2 * len(a) * len(b) <= FILTER * (len(a) + len(b))


def facts(a: str, b: str) -> dict[str, Any]:
    """Return an addition's sum, digit counts and difficulty (carries f_cry, digits f_hrm), and whether it is kept.

    Raises InputError for a value that is not a whole number in decimal digits.
    """
    for name, value in (("a", a), ("b", b)):
        if not isinstance(value, str) or not _DECIMAL.fullmatch(value) or len(value) > 40 * MOST_DIGITS:
            raise InputError(
                f"`{name}` is not a whole number in decimal digits",
                where=name,
                next=f'give text such as "{name}": "42"',
            )
    return {
        "sum": str(int(a) + int(b)),
        "digits_a": len(a),
        "digits_b": len(b),
        "f_cry": carries(a, b),
        "f_hrm": harmonic_digits(a, b),
        "keep": kept(a, b),
    }


@dataclass(frozen=True, slots=True)
class Addends:
    """Two addends drawn from a seed, and the index of the draw."""

    index: int
    a: str
    b: str


def draw(seed: int, index: int) -> Addends:
    """Draw the pair of addends `index` from a seed: the digit counts, then the numbers, independent of other pairs.

    OURS: docs/reliability-rules.md#addition.
    """
    source = seeds.random_stream(seeds.derive_seed(seed, "addition.draw", str(index)))
    digits_a = 1 + seeds.draw_below(source, MOST_DIGITS)
    digits_b = 1 + seeds.draw_below(source, MOST_DIGITS)
    return Addends(index, _number(source, digits_a), _number(source, digits_b))


def _number(source: seeds.Stream, digits: int) -> str:
    smallest: int = 10 ** (digits - 1)
    return str(smallest + seeds.draw_below(source, 9 * smallest))


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the addition items that the filter keeps of `count` draws: items (without answers), gold, budgets, counts.

    `counts` says how many pairs were drawn, kept and removed. Raises InputError for a count below one.
    """
    seed, count = params["seed"], params["count"]
    if count < 1:
        raise InputError(f"{count} draws make no dataset", where="count", next="ask for at least one draw")
    drawn = (draw(seed, index) for index in range(count))
    pairs = [pair for pair in drawn if kept(pair.a, pair.b)]
    numbered = ids(TASK, count)
    names = [numbered[pair.index] for pair in pairs]
    rows.write(out / "items", _items(names, pairs, params))
    sums = (str(int(pair.a) + int(pair.b)) for pair in pairs)
    golds: Iterator[Gold] = (
        {"id": name, "gold": {"target": target, "accepted": []}} for name, target in zip(names, sums, strict=True)
    )
    rows.write(out / "gold", golds)
    budget = token_budget(TASK)
    rows.write(out / "budgets", ({"id": name, "max_tokens": budget} for name in names))
    counts = {"drawn": count, "kept": len(pairs), "removed": count - len(pairs)}
    rows.write_one(out / "counts", {TASK: counts})


def _items(names: list[str], pairs: list[Addends], params: Mapping[str, Any]) -> Iterator[Item]:
    f_cry = [carries(pair.a, pair.b) for pair in pairs]
    scale = calibrated(f_cry, params.get("calibration"))
    for name, pair, raw, difficulty in zip(names, pairs, f_cry, scale.values, strict=True):
        yield {
            "id": name,
            "task": TASK,
            "input": {"a": pair.a, "b": pair.b},
            "difficulty": difficulty,
            "meta": {
                "source": "generated",
                "raw_difficulty": {"f_cry": raw, "f_hrm": harmonic_digits(pair.a, pair.b)},
                "difficulty_function": "f_cry",
                **scale.meta(),
                "seed": params["seed"],
                "generator_version": GENERATOR_VERSION,
                "licence": "Apache-2.0",
            },
        }
