"""Which of several values belongs to which of several keys, by their order in a sentence: "G 0.32, A 0.68".

Values and keys that take turns are paired as they stand, whichever comes first: "0.32 for G and 0.68 for A". Lists of
equal length, first one and then the other, are paired by rank. Anything else is left open.
"""

from __future__ import annotations

from collections.abc import Sequence


def paired(keys: Sequence[int], values: Sequence[int]) -> dict[int, int]:
    """Return for each position of a value that of its key; empty if the order does not tell. Both lists ascend."""
    if not keys or len(keys) != len(values):
        return {}
    turns = list(zip(keys, values, strict=True))
    first = keys[0] < values[0]
    pairs = {value: key for key, value in turns}
    if all((key < value) == first for key, value in turns) and _in_turn(turns):
        return pairs
    apart = keys[-1] < values[0] or values[-1] < keys[0]
    return pairs if apart else {}


def _in_turn(turns: Sequence[tuple[int, int]]) -> bool:
    """Whether each pair ends before the next one begins."""
    ends = [max(pair) for pair in turns[:-1]]
    begins = [min(pair) for pair in turns[1:]]
    return all(end < begin for end, begin in zip(ends, begins, strict=True))
