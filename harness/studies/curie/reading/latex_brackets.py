"""Brackets of a formula: matching pairs, brackets without a partner, and positions outside of brackets.

Independent of what a bracket contains.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from harness.studies.curie.reading.latex import PARAGRAPH
from harness.studies.curie.reading.loose_json import Unreadable

DEEPEST = 40  # nesting of brackets that is followed
ROUND, BRACE, ANGLE, BAR = "(", "{", "<", "|"
OPEN = {"(": ROUND, "[": ROUND, "\\{": ROUND, "{": BRACE, "\\langle": ANGLE, "\\lvert": BAR}
_CLOSE = {")": ROUND, "]": ROUND, "\\}": ROUND, "}": BRACE, "\\rangle": ANGLE, "\\rvert": BAR}


class TooDeep(Unreadable):
    """Brackets are nested deeper than is followed."""


def brackets(tokens: Sequence[str]) -> dict[int, int]:
    """Return the position of each closing bracket by that of its opening one; a bracket without a partner is left out.

    No pair crosses a blank line or the braces around it. Raises TooDeep if brackets are nested deeper than DEEPEST.
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
    """Yield the positions in a range that are outside of brackets; for a bracket, that of its opening sign."""
    place = start
    while place < end:
        yield place
        place = matched.get(place, place) + 1
