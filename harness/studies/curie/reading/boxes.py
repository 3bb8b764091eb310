"""Bounding boxes in answers, read as the published code reads them: any values under four letters.

Rule: docs/curie.md#paper-boxes. Values are returned as written, numbers or not. Sees no right boxes.
"""

from __future__ import annotations

from typing import Any

from harness.studies.curie.reading.loose_json import Unreadable, loads

SIDES = ("W", "S", "E", "N")


def read_box(text: str) -> dict[str, Any]:
    """Return the object between the first and the last brace, or else the numbers after `"W":` and the other sides.

    Keys may be missing and values may have any type. Raises Unreadable if the published code finds nothing to read.
    """
    if "{" in text and "}" in text:
        found: dict[str, Any] = loads(text[text.index("{") : text.rindex("}") + 1])
        return found
    return read_sides(text)


def read_sides(text: str) -> dict[str, float]:
    """Return the numbers after the last `"W":` and the other sides; raises Unreadable if one is not a number.

    If a key is missing, the text is read from its beginning, as in the published code.
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
