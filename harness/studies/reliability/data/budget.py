"""Token budgets: how many new tokens an answer may have on each benchmark (docs/reliability-rules.md#budgets).

Uses names and lengths only; sees no items or answer texts.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.errors import InputError

FIXED: Mapping[str, int] = {
    "addition": 256,
    "anagram": 72,
    "locality": 132,
    "obqa": 72,
    "gpqa": 384,
    "science-demo": 72,
}
CONVERSATIONAL = ("gpt-3.5", "gpt-4")  # model groups that had a larger budget on these benchmarks
MORE = 1000
SHORTEST = 72  # an expected output counts at least this many characters


def token_budget(benchmark: str, group: str = "", chars: int = 0) -> int:
    """Return how many tokens an answer may have: fixed, more for chat models, or by length for transforms.

    `chars` is the number of characters of the expected output (OURS). Raises InputError for an unknown benchmark.
    """
    if benchmark == "transforms":
        return -(-3 * max(SHORTEST, chars) // 4)
    if benchmark not in FIXED:
        raise InputError(
            f"no budget is known for {benchmark!r}",
            where="benchmark",
            next=f"use one of: {', '.join((*FIXED, 'transforms'))}",
        )
    return MORE if group in CONVERSATIONAL else FIXED[benchmark]
