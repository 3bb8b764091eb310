"""Bounding boxes in answers, read as the published code reads them: whatever stands under four letters.

Rule: docs/curie.md#paper-boxes. It must never know a right box, nor what a box is good for: values are given as they
stand, numbers or not.
"""

from __future__ import annotations

from typing import Any

from harness.studies.curie.reading.loose_json import Unreadable, loads

SIDES = ("W", "S", "E", "N")


def read_box(text: str) -> dict[str, Any]:
    """Give the object between the first and the last brace, or else the numbers behind `"W":` and its like.

    Keys may be lacking and values of any kind. Unreadable where the published code finds nothing to read.
    """
    if "{" in text and "}" in text:
        found: dict[str, Any] = loads(text[text.index("{") : text.rindex("}") + 1])
        return found
    return read_sides(text)


def read_sides(text: str) -> dict[str, float]:
    """Give what stands behind the last `"W":` and its like, as numbers; Unreadable where one is none.

    A text without such a key is read from its beginning, as the published code does.
    """
    if not all(side in text for side in SIDES):
        raise Unreadable("no box")
    return {side: _number(text.rpartition(f'"{side}":')[2].partition(",")[0]) for side in SIDES}


def _number(text: str) -> float:
    words = text.split(None, 1)
    try:
        return float(words[0])
    except (IndexError, ValueError) as bad:
        raise Unreadable("a side without a number") from bad
