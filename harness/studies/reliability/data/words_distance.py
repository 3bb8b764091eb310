"""Word counts and Levenshtein distance: the difficulty f_w+l of the transforms benchmark.

Rule (OURS): docs/reliability-rules.md#difficulty. Works on two texts only.
"""

from __future__ import annotations


def word_count(text: str) -> int:
    """Return the number of words of a text, separated by white space."""
    return len(text.split())


def levenshtein(left: str, right: str) -> int:
    """Return the Levenshtein distance: the fewest insertions, deletions and replacements of characters.

    The table is computed one column at a time, all its rows at once. The bits of two integers say where the column goes
    up or down by one (Myers 1999, in Hyyro's form). Hundreds of characters therefore cost hundreds of additions.
    """
    if not left or not right:
        return len(left) + len(right)
    if len(left) < len(right):
        left, right = right, left
    all_rows = (1 << len(left)) - 1
    last = 1 << (len(left) - 1)
    places: dict[str, int] = {}
    for row, char in enumerate(left):
        places[char] = places.get(char, 0) | 1 << row
    up, down, score = all_rows, 0, len(left)
    for char in right:
        equal = places.get(char, 0)
        diagonal = (((equal & up) + up) ^ up) | equal | down
        right_up = down | (~(diagonal | up) & all_rows)
        right_down = diagonal & up
        score += bool(right_up & last) - bool(right_down & last)
        right_up = (right_up << 1 | 1) & all_rows
        right_down = (right_down << 1) & all_rows
        up = right_down | (~(diagonal | right_up) & all_rows)
        down = right_up & diagonal
    return score


def f_wl(text: str, answer: str) -> int:
    """Return the difficulty f_w+l: words(input) + words(output) + Levenshtein(input, output)."""
    return word_count(text) + word_count(answer) + levenshtein(text, answer)
