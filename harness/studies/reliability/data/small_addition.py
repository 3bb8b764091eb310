"""The maker of small additions for the tiny models: one to three digits, half with addends of at most two digits.

A miniature, not the paper's benchmark. Draws the training data of the tiny models and, with separate seeds, the
instances that they are asked. Independent of prompts and models.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness import rows, seeds
from harness.errors import InputError
from harness.rowtypes import Gold, Item
from harness.stats import average_ranks
from harness.studies.reliability.data.addition import TASK, carries, harmonic_digits
from harness.studies.reliability.data.budget import token_budget

GENERATOR_VERSION = "1"
MOST_DIGITS = 3


def number(source: seeds.Stream, digits: int) -> str:
    """Draw a number of exactly `digits` digits as text, without a leading zero; one-digit numbers are 1 to 9."""
    smallest: int = 10 ** (digits - 1)
    return str(smallest + seeds.draw_below(source, 9 * smallest))


def pair(source: seeds.Stream, small: int = 50) -> tuple[str, str]:
    """Draw two small addends: in `small` of a hundred pairs both have one or two digits; else one has three."""
    if seeds.draw_below(source, 100) < small:
        return number(source, 1 + seeds.draw_below(source, 2)), number(source, 1 + seeds.draw_below(source, 2))
    long, other = number(source, MOST_DIGITS), number(source, 1 + seeds.draw_below(source, MOST_DIGITS))
    return (long, other) if seeds.draw_below(source, 2) else (other, long)


def asked(seed: int, index: int) -> tuple[str, str]:
    """Draw the two addends of test item `index` from a dataset's seed."""
    return pair(seeds.random_stream(seeds.derive_seed(seed, "tiny.ask", str(index))))


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the sums that the tiny models are tested on: items (without answers), gold, budgets and counts.

    `params` has seed and count. Raises InputError for a count below one.
    """
    seed, count = params["seed"], params["count"]
    if count < 1:
        raise InputError(f"{count} draws make no dataset", where="count", next="ask for at least one draw")
    pairs = [asked(seed, index) for index in range(count)]
    width = max(5, len(str(count - 1)))  # so that sorting the ids as text gives the order of the draws
    names = [f"{TASK}-{index:0{width}d}" for index in range(count)]
    rows.write(out / "items", _items(names, pairs, seed))
    golds: Iterator[Gold] = (
        {"id": name, "gold": {"target": str(int(a) + int(b)), "accepted": []}}
        for name, (a, b) in zip(names, pairs, strict=True)
    )
    rows.write(out / "gold", golds)
    rows.write(out / "budgets", ({"id": name, "max_tokens": token_budget(TASK)} for name in names))
    rows.write_one(out / "counts", {TASK: {"drawn": count, "kept": count, "removed": 0}})


def _items(names: list[str], pairs: list[tuple[str, str]], seed: int) -> Iterator[Item]:
    f_cry = [carries(a, b) for a, b in pairs]
    for name, (a, b), raw, rank in zip(names, pairs, f_cry, average_ranks(f_cry), strict=True):
        yield {
            "id": name,
            "task": TASK,
            "input": {"a": a, "b": b},
            "difficulty": 100 * (rank - 0.5) / len(pairs),  # docs/reliability-rules.md#ranks
            "meta": {
                "source": "generated",
                "distribution": "tiny: one to three digits, half of the draws at most two; not the paper's",
                "raw_difficulty": {"f_cry": raw, "f_hrm": harmonic_digits(a, b)},
                "difficulty_function": "f_cry",
                "calibration_id": "rank",
                "calibrated": False,
                "seed": seed,
                "generator_version": GENERATOR_VERSION,
                "licence": "Apache-2.0",
            },
        }
