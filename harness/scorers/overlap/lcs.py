"""Longest common subsequence of two lists of words, bit-parallel: a whole row of the table in one integer.

Bit i of a row is 0 where the longest common subsequence grows by the first list's word i; so the row says what a
column of the usual table says, and a row is made with four operations on whole numbers, however long the list is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def places(words: Sequence[str]) -> dict[str, int]:
    """Give the positions of each word in a list as a bit set."""
    found: dict[str, int] = {}
    for index, word in enumerate(words):
        found[word] = found.get(word, 0) | 1 << index
    return found


def length(reference: Sequence[str], other: Sequence[str]) -> int:
    """Give the length of the longest common subsequence of two lists of words."""
    where, full = places(reference), (1 << len(reference)) - 1
    row = full
    for mask in map(where.get, other):
        if mask is not None:  # a word that the reference lacks leaves the row as it is
            both = row & mask
            row = (row + both | row - both) & full
    return len(reference) - row.bit_count()


def common(where: Mapping[str, int], size: int, other: Sequence[str]) -> int:
    """Give one longest common subsequence as the bit set of its words' positions in a list of `size` words.

    Of several that are as long, the one that the package rouge-score takes, walking back from both ends: equal words
    are taken; else the other text gives way where the subsequence is longer without its word, else the reference does.
    """
    full = (1 << size) - 1
    rows, row = [], full
    for word in other:
        if mask := where.get(word):
            both = row & mask
            row = (row + both | row - both) & full
        rows.append(row)
    taken, end = 0, size
    for word, row in zip(reversed(other), reversed(rows), strict=True):
        mask = where.get(word, 0)
        # the reference gives way down to the nearest place where the words are equal or the row has its 0
        end = ((mask | ~row) & (1 << end) - 1).bit_length()
        if not end:
            break
        if mask >> end - 1 & 1:
            end -= 1
            taken |= 1 << end
    return taken
