"""Brackets of a formula: which one closes which, where one has no partner, and where the formula is to be parted.

It must never know what stands in a bracket.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from harness.studies.curie.reading.latex import PARAGRAPH
from harness.studies.curie.reading.loose_json import Unreadable

DEEPEST = 40  # brackets within brackets that are followed
ROUND, BRACE, ANGLE, BAR = "(", "{", "<", "|"
OPEN = {"(": ROUND, "[": ROUND, "\\{": ROUND, "{": BRACE, "\\langle": ANGLE, "\\lvert": BAR}
_CLOSE = {")": ROUND, "]": ROUND, "\\}": ROUND, "}": BRACE, "\\rangle": ANGLE, "\\rvert": BAR}


class TooDeep(Unreadable):
    """More brackets within brackets than are followed."""


def brackets(tokens: Sequence[str]) -> dict[int, int]:
    """Give the place of each closing bracket by that of its opening one; one without a partner is left out.

    No pair reaches over a blank line or out of the braces around it. TooDeep where they stand deeper within each other
    than is followed.
    """
    waiting: list[tuple[str, int]] = []
    found: dict[int, int] = {}
    for place, token in enumerate(tokens):
        if token == PARAGRAPH:
            waiting.clear()
        elif opened := OPEN.get(token) or (token if token.startswith("\\begin{") else None):
            waiting.append((opened, place))
        elif closed := _CLOSE.get(token) or (f"\\begin{token[4:]}" if token.startswith("\\end{") else None):
            _close(closed, place, waiting, found)
        if len(waiting) > DEEPEST:
            raise TooDeep(f"brackets stand more than {DEEPEST} deep")
    return found


def _close(family: str, place: int, waiting: list[tuple[str, int]], found: dict[int, int]) -> None:
    for back in range(len(waiting) - 1, -1, -1):
        opened, begun = waiting[back]
        if opened == family:
            found[begun] = place
            del waiting[back:]
        if opened in (family, BRACE):
            return


def outside(matched: Mapping[int, int], start: int, end: int) -> Iterator[int]:
    """Give the places between two that stand in no bracket; of a bracket, that of its opening sign."""
    place = start
    while place < end:
        yield place
        place = matched.get(place, place) + 1
