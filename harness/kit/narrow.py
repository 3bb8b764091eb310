"""The narrow form of a figure: which parts of a drawing stand one below another where a screen is too small for it.

A part is a rectangle of the drawing, so nothing is drawn twice: a panel with the names of its rows, a slice of a wide
panel with its axis, some entries of the legend. Knows where panels and texts stand, and nothing of what they say.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

MOST = 5.0  # inches: the most width of a part; a small screen shows it at about three quarters of its size
EDGE, NEAR, AXIS = 0.06, 0.3, 0.75  # inches: around a part; of texts at a panel; the most for an axis's own labels
SQUARE, WIDE = (
    1.3,
    1.35,
)  # sliced is a panel wider than so many times its height, in a part wider than so many times MOST


@dataclass(frozen=True)
class Rect:
    """A rectangle of a drawing, in inches from its upper left corner."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """The width in inches."""
        return self.right - self.left

    @property
    def middle(self) -> float:
        """The height at which its middle lies."""
        return (self.top + self.bottom) / 2

    def spelled(self) -> list[float]:
        """Return left, top, width and height, to a hundredth of an inch."""
        return [round(each, 2) for each in (self.left, self.top, self.right - self.left, self.bottom - self.top)]


@dataclass(frozen=True)
class DrawnPanel:
    """A panel's rectangle, the positions at which it may be cut, and whether it has columns that are never cut.

    `reach` is how far to the right its words go.
    """

    at: Rect
    cuts: tuple[float, ...] = ()
    columns: bool = False
    reach: float = 0.0


@dataclass(frozen=True)
class Layout:
    """Where a drawing's panels, texts and legend stand; `head` and `foot` are the ends of heading and small print."""

    width: float
    head: float
    foot: float
    panels: Sequence[DrawnPanel]
    texts: Sequence[Rect]
    legend: Sequence[Rect]


Part = list[Rect]  # rectangles that stand side by side


def parts(drawn: Layout) -> list[Part]:
    """Return the parts of a drawing from above to below: the legend, then each panel; none if there is no panel."""
    if not drawn.panels:
        return []
    return [*_legend(drawn.legend), *_strips(drawn)]


def spelled(found: Sequence[Part], under: str, words: str, note: str) -> str:
    """Write parts, the line under the title, other words and the small print as the text that a figure's file carries.

    `words` are those of a drawing without panels.
    """
    shown = [[each.spelled() for each in part] for part in found]
    told = {"narrow": shown, "under": under, "words": words, "note": note}
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def read(text: str) -> Mapping[str, Any]:
    """Read what `spelled` wrote; empty for any other text."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) and isinstance(found.get("narrow"), list) else {}


def _legend(entries: Sequence[Rect]) -> Iterator[Part]:
    """Yield lines of the legend, each of as many entries as fit."""
    line: list[Rect] = []
    for entry in sorted(entries, key=lambda entry: (round(entry.top, 1), entry.left)):
        if line and (entry.right - line[0].left > MOST or abs(entry.top - line[0].top) > EDGE):
            yield [_around(line)]
            line = []
        line.append(entry)
    if line:
        yield [_around(line)]


def _around(found: Sequence[Rect]) -> Rect:
    return Rect(
        max(0.0, min(one.left for one in found) - EDGE / 2),
        max(0.0, min(one.top for one in found) - EDGE / 2),
        max(one.right for one in found) + EDGE / 2,
        max(one.bottom for one in found) + EDGE / 2,
    )


def _strips(drawn: Layout) -> Iterator[Part]:
    """Yield the parts of the panels, strip by strip; a strip is what stands side by side."""
    strips: list[list[DrawnPanel]] = []
    for panel in sorted(drawn.panels, key=lambda panel: (panel.at.top, panel.at.left)):
        if strips and panel.at.top < max(one.at.bottom for one in strips[-1]) - EDGE:
            strips[-1].append(panel)
        else:
            strips.append([panel])
    tops = [_top(drawn, strips, at) for at in range(len(strips))]
    for at, strip in enumerate(strips):
        bottom = tops[at + 1] if at + 1 < len(strips) else drawn.foot
        yield from _strip(drawn, sorted(strip, key=lambda panel: panel.at.left), tops[at], bottom)


def _top(drawn: Layout, strips: Sequence[Sequence[DrawnPanel]], at: int) -> float:
    """Return the upper end of a strip: above the titles of its panels, and below the strip before."""
    first = min(panel.at.top for panel in strips[at])
    before = max(panel.at.bottom for panel in strips[at - 1]) if at else min(drawn.head, first)
    titles = [text.top for text in drawn.texts if before <= text.middle < first]
    return max(before, min([first - EDGE, *(top - EDGE / 2 for top in titles)]))


def _strip(drawn: Layout, strip: Sequence[DrawnPanel], top: float, bottom: float) -> Iterator[Part]:
    columns: dict[float, list[DrawnPanel]] = {}
    for panel in strip:
        columns.setdefault(round(panel.at.left, 2), []).append(panel)
    lefts = sorted(columns)
    low, high = min(panel.at.top for panel in strip), max(panel.at.bottom for panel in strip)
    beside = [text for text in drawn.texts if low - EDGE <= text.middle <= high + EDGE]
    names = [text for text in beside if text.right <= lefts[0]]
    titles = [text for text in drawn.texts if top <= text.middle < low and text.left < lefts[0] and names]
    begins = min((text.left for text in (*names, *titles)), default=0.0)
    named = Rect(max(0.0, begins - EDGE), top, lefts[0] - EDGE, bottom) if names else None
    ends = [max(panel.at.right for panel in columns[left]) for left in lefts]
    for at, left in enumerate(lefts):
        before = [text.right for text in beside if at and ends[at - 1] < text.right <= left]
        begin = (
            left - EDGE
            if named
            else max([0.0, left - AXIS, *((end + EDGE for end in (ends[at - 1], *before)) if at else ())])
        )
        following = lefts[at + 1] if at + 1 < len(lefts) else None
        own = [text for text in beside if text.left >= ends[at] and (following is None or text.left < following)]
        limit = _limit(drawn, lefts, ends, at, named is not None)
        listed = [text for text in own if text.left > ends[at] + EDGE / 2]
        if listed:
            limit = min(limit, min(text.left for text in listed) - EDGE / 2)
        reach = min(drawn.width, max(panel.reach for panel in columns[left]) + EDGE)
        cell = Rect(begin, top, max(limit, ends[at], reach if following is None else 0.0), bottom)
        shape = columns[left][0].at
        wide = (ends[at] - left) > SQUARE * (shape.bottom - shape.top)
        wide = columns[left][0].columns or (wide and named is None)  # bars that have names are shown whole
        yield from _cell(named, cell, left, columns[left][0].cuts if wide else ())
        if listed:
            yield [replace(_around(listed), right=min(drawn.width, max(text.right for text in listed) + EDGE))]


def _limit(drawn: Layout, lefts: Sequence[float], ends: Sequence[float], at: int, named: bool) -> float:
    """Return the right end of a panel's cell: where the next begins, or as far from it as the others' cells reach."""
    if at + 1 < len(lefts):
        return lefts[at + 1] - EDGE if named else max(ends[at] + EDGE, lefts[at + 1] - AXIS)
    pitch = lefts[1] - lefts[0] if len(lefts) > 1 else 0.0
    room = pitch - (ends[0] - lefts[0]) if pitch else drawn.width - ends[at]
    return min(drawn.width, ends[at] + (room if pitch or room < 2 * AXIS else NEAR))


def _cell(named: Rect | None, cell: Rect, panel: float, cuts: Iterable[float]) -> Iterator[Part]:
    """Yield the parts of a panel: one, or slices of one that is too wide, each with the names or the axis."""
    axis = named or Rect(cell.left, cell.top, panel - EDGE / 2, cell.bottom)
    before = [named] if named else []
    known = sorted(cut for cut in cuts if panel < cut < cell.right)
    whole = (named.width if named else 0.0) + cell.width
    if whole <= (MOST if named else WIDE * MOST) or not known:
        yield [*before, cell]
        return
    begin = cell.left if named else panel - EDGE / 2
    many = math.ceil((cell.right - begin) / (MOST - axis.width))
    even = (cell.right - begin) / many + max(second - first for first, second in pairwise([begin, *known]))
    while begin < cell.right - EDGE:
        room = begin + min(MOST - axis.width, even)
        reached = [cut for cut in known if begin < cut <= room]
        end = cell.right if cell.right <= room or not (reached or [cut for cut in known if cut > begin]) else 0.0
        if not end:
            end = reached[-1] if reached else next(cut for cut in known if cut > begin)
        yield [axis, Rect(begin, cell.top, end, cell.bottom)]
        begin = end
