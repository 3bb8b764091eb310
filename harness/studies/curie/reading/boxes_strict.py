"""Bounding boxes in answers and ground truths, read strictly (OURS: B1 to B3): four sides of a box with an area.

The last 200 opening braces of an answer are tried, and objects of more than 10,000 characters are ignored. No sensible
answer comes near these limits. Does not compare boxes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from harness.studies.curie.reading.boxes import SIDES, read_sides
from harness.studies.curie.reading.json5_grammar import JSON5_WORDS, Unreadable, read_value
from harness.studies.curie.reading.loose_json import DEPTH, loads

CIRCLE = 360.0
TRIED, WINDOW = 200, 10_000  # opening braces tried, from the last one back, and characters read after each
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")


@dataclass(frozen=True, slots=True)
class GeoBox:
    """A box in degrees with an area: `width` is counted eastward from the west side, 360 for the whole circle."""

    west: float
    south: float
    east: float
    north: float

    @property
    def width(self) -> float:
        """Degrees of longitude from the west side eastward; the whole circle is recognised before normalisation."""
        raw = self.east - self.west
        return CIRCLE if raw >= CIRCLE else raw % CIRCLE

    @property
    def height(self) -> float:
        """The degrees of latitude between the south and the north side."""
        return self.north - self.south

    @property
    def swapped(self) -> bool:
        """Whether west and east may have been swapped: the east side is west of the west side, the long way round."""
        return self.west > self.east and self.width > CIRCLE / 2


def read_answer(text: str) -> GeoBox:
    """Return the box of an answer (B1): its last object with all four sides, else the paper's fallback.

    Raises Unreadable if there is no box, or if the box found is not one with an area.
    """
    return _box(_last_object(text) or read_sides(text))


def read_gold(text: str) -> GeoBox:
    """Return the box of a ground-truth file (B6); raises Unreadable if it is not a box by the same rules."""
    found = loads(text)
    if not _has_sides(found):
        raise Unreadable("not an object with W, S, E and N")
    return _box(found)


def _last_object(text: str) -> Mapping[str, Any] | None:
    end = text.rfind("}") + 1
    for start in islice(_braces(text, end), TRIED):
        try:
            found, _ = read_value(text[start : min(start + WINDOW, end)], 0, JSON5_WORDS, DEPTH)
        except Unreadable:
            continue
        if _has_sides(found):
            return dict(found)
    return None


def _braces(text: str, end: int) -> Iterator[int]:
    """Yield the positions of the opening braces before a position, the last one first."""
    while (end := text.rfind("{", 0, end)) >= 0:
        yield end


def _has_sides(found: Any) -> bool:
    return isinstance(found, dict) and all(side in found for side in SIDES)


def _box(found: Mapping[str, Any]) -> GeoBox:
    west, south, east, north = (_degrees(found[side], 90 if side in ("S", "N") else 360) for side in SIDES)
    box = GeoBox(west, south, east, north)
    if not box.width * box.height > 0:
        raise Unreadable("a box without an area, or with its south above its north")
    return box


def _degrees(value: Any, most: int) -> float:
    """Read one coordinate (B2, B3): a finite number or a plain decimal in a text, of absolute value up to `most`.

    Blanks around the decimal say nothing.
    """
    if isinstance(value, str) and _DECIMAL.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unreadable("a side that is no number")
    if not -most <= value <= most:  # false for NaN, too
        raise Unreadable(f"a side beyond {most} degrees")
    return float(value)
