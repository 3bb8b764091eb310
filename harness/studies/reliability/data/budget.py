"""Token budgets: how many new tokens an answer may have on each benchmark (docs/reliability-rules.md#budgets).

It knows lengths and names; it must never know an item or an answer's text.
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
CONVERSATIONAL = ("gpt-3.5", "gpt-4")  # model groups that were given more on the benchmarks above
MORE = 1000
SHORTEST = 72  # characters of an expected output that count at least


def token_budget(benchmark: str, group: str = "", chars: int = 0) -> int:
    """Give the token budget of one answer: fixed, larger for a conversational group, or for transforms by length.

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
