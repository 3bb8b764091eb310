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

MOST = 4.7  # inches: the most width of a part; 390 px show it at four fifths of its size, so that letters are 8 px high
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

    `begins` and `reach` are how far to the left and right its words go, if it has any; `lower`, how far to the left
    those of its lower axis go; `axis` says whether that has labels.
    """

    at: Rect
    cuts: tuple[float, ...] = ()
    columns: bool = False
    begins: float = math.inf
    lower: float = math.inf
    reach: float = 0.0
    axis: bool = True


@dataclass(frozen=True)
class Layout:
    """Where a drawing's panels, texts and legend stand; `head` and `foot` are the ends of heading and small print."""

    width: float
    head: float
    foot: float
    panels: Sequence[DrawnPanel]
    texts: Sequence[Rect]
    legend: Sequence[Rect]


Line = list[Rect]  # rectangles that stand side by side
Part = list[Line]  # lines from above to below: what a part repeats of its column's head, the part, the column's axis


def parts(drawn: Layout) -> list[Part]:
    """Return the parts of a drawing from above to below: the legend, then each panel; none if there is no panel."""
    if not drawn.panels:
        return []
    return [*_legend(drawn.legend), *_strips(drawn)]


def spelled(found: Sequence[Part], under: str, words: str, note: str) -> str:
    """Write parts, the line under the title, other words and the small print as the text that a figure's file carries.

    `words` are those of a drawing without panels.
    """
    shown = [[[each.spelled() for each in line] for line in part] for part in found]
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
            yield [[_around(line)]]
            line = []
        line.append(entry)
    if line:
        yield [[_around(line)]]


def _around(found: Sequence[Rect]) -> Rect:
    return Rect(
        max(0.0, min(one.left for one in found) - 2 * EDGE),
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
    bottoms = [*tops[1:], drawn.foot]
    first = 0  # the strip whose titles stand for this one too
    for at, strip in enumerate(strips):
        if _lefts(strip) != _lefts(strips[first]) or _titled(drawn, strip, tops[at]):
            first = at
        last = _last(drawn, strips, tops, at)
        head = (tops[first], _low(strips[first]) - EDGE) if first < at else None
        foot = (_high(strips[last]) + EDGE, bottoms[last]) if last > at else None  # below the labels of its other axis
        for line in _strip(drawn, sorted(strip, key=lambda panel: panel.at.left), tops[at], bottoms[at]):
            whole = line[-1].top == tops[at]  # a list beside a panel is no column
            yield [*_moved(line, head if whole else None), line, *_moved(line, foot if whole else None)]


def _lefts(strip: Sequence[DrawnPanel]) -> list[float]:
    """Return where the columns of a strip begin."""
    return sorted({round(panel.at.left, 2) for panel in strip})


def _low(strip: Sequence[DrawnPanel]) -> float:
    return min(panel.at.top for panel in strip)


def _high(strip: Sequence[DrawnPanel]) -> float:
    return max(panel.at.bottom for panel in strip)


def _titled(drawn: Layout, strip: Sequence[DrawnPanel], top: float) -> bool:
    """Whether a strip has titles of its own above its panels."""
    return any(top <= text.middle < _low(strip) for text in drawn.texts)


def _last(drawn: Layout, strips: Sequence[Sequence[DrawnPanel]], tops: Sequence[float], at: int) -> int:
    """Return the strip whose lower axis is that of this one too: itself, if it has labels or no strip below fits."""
    last = at
    while not any(panel.axis for panel in strips[last]):
        below = last + 1
        fits = below < len(strips) and _lefts(strips[below]) == _lefts(strips[at])
        if not fits or _titled(drawn, strips[below], tops[below]):
            return at
        last = below
    return last


def _moved(line: Line, to: tuple[float, float] | None) -> Iterator[Line]:
    """Yield what stands at other heights of the drawing above or below a line, with the line's widths."""
    if to:
        yield [replace(each, top=to[0], bottom=to[1]) for each in line]


def _top(drawn: Layout, strips: Sequence[Sequence[DrawnPanel]], at: int) -> float:
    """Return the upper end of a strip: above the titles of its panels, and below the strip before."""
    first = min(panel.at.top for panel in strips[at])
    before = max(panel.at.bottom for panel in strips[at - 1]) if at else min(drawn.head, first)
    titles = [text.top for text in drawn.texts if before <= text.middle < first]
    return max(before, min([first - EDGE, *(top - EDGE / 2 for top in titles)]))


def _strip(drawn: Layout, strip: Sequence[DrawnPanel], top: float, bottom: float) -> Iterator[Line]:
    columns: dict[float, list[DrawnPanel]] = {}
    for panel in strip:
        columns.setdefault(round(panel.at.left, 2), []).append(panel)
    lefts = sorted(columns)
    low, high = _low(strip), _high(strip)
    beside = [text for text in drawn.texts if low - EDGE <= text.middle <= high + EDGE]
    names = [text for text in beside if text.right <= lefts[0]]
    titles = [text for text in drawn.texts if top <= text.middle < low and text.left < lefts[0] and names]
    begins = min((text.left for text in (*names, *titles)), default=0.0)
    named = Rect(max(0.0, begins - EDGE), top, lefts[0] - EDGE, bottom) if names else None
    ends = [max(panel.at.right for panel in columns[left]) for left in lefts]
    for at, left in enumerate(lefts):
        before = [text.right for text in beside if at and ends[at - 1] < text.right <= left]
        begin = (
            _begin(columns, lefts, at)
            if named
            else max([0.0, left - AXIS, *((end + EDGE for end in (ends[at - 1], *before)) if at else ())])
        )
        following = lefts[at + 1] if at + 1 < len(lefts) else None
        own = [text for text in beside if text.left >= ends[at] and (following is None or text.left < following)]
        limit = _limit(drawn, lefts, ends, at, named is not None)
        if named and following is not None:
            limit = min(limit, _begin(columns, lefts, at + 1))
        listed = [text for text in own if text.left > ends[at] + EDGE / 2]
        if listed:
            limit = min(limit, min(text.left for text in listed) - EDGE / 2)
        above = [text.right for text in drawn.texts if top <= text.middle < low and text.left >= left - EDGE]
        reach = min(drawn.width, max(*(panel.reach for panel in columns[left]), *above, 0.0) + EDGE)
        cell = Rect(begin, top, max(limit, ends[at], reach if following is None else 0.0), bottom)
        shape = columns[left][0].at
        wide = (ends[at] - left) > SQUARE * (shape.bottom - shape.top)
        wide = columns[left][0].columns or (wide and named is None)  # bars that have names are shown whole
        yield from _cell(_beside(named, columns, names, at), cell, shape, columns[left][0].cuts if wide else ())
        if listed:
            yield [replace(_around(listed), right=min(drawn.width, max(text.right for text in listed) + EDGE))]


def _beside(
    named: Rect | None, columns: Mapping[float, Sequence[DrawnPanel]], names: Sequence[Rect], at: int
) -> Rect | None:
    """Return the names of rows beside a panel that is not the first: without words of the first one's lower axis."""
    first = columns[min(columns)]
    lower, begins = min(panel.lower for panel in first), min(panel.begins for panel in first)
    if not named or not at or begins < lower - EDGE / 3:  # labels of its upright axis stand for all panels of a row
        return named
    return replace(named, right=min(named.right, max(lower - EDGE / 3, *(name.right for name in names))))


def _begin(columns: Mapping[float, Sequence[DrawnPanel]], lefts: Sequence[float], at: int) -> float:
    """Return where a panel beside names begins: with its own words, such as those of its axis, if no other's are there.

    The first begins where the names end.
    """
    edge = lefts[at] - EDGE
    if not at:
        return edge
    words = min(panel.begins for panel in columns[lefts[at]]) - EDGE / 3
    before = max(max(panel.at.right, panel.reach) for panel in columns[lefts[at - 1]]) + EDGE / 3
    return min(edge, max(words, before))


def _limit(drawn: Layout, lefts: Sequence[float], ends: Sequence[float], at: int, named: bool) -> float:
    """Return the right end of a panel's cell: where the next begins, or as far from it as the others' cells reach."""
    if at + 1 < len(lefts):
        return lefts[at + 1] - EDGE if named else max(ends[at] + EDGE, lefts[at + 1] - AXIS)
    pitch = lefts[1] - lefts[0] if len(lefts) > 1 else 0.0
    room = pitch - (ends[0] - lefts[0]) if pitch else drawn.width - ends[at]
    return min(drawn.width, ends[at] + (room if pitch or room < 2 * AXIS else NEAR))


def _cell(named: Rect | None, cell: Rect, panel: Rect, cuts: Iterable[float]) -> Iterator[Line]:
    """Yield the lines of a panel: one, or slices of one that is too wide, each with the names or the axis."""
    axis = named or Rect(cell.left, cell.top, panel.left - EDGE / 2, cell.bottom)
    before = [named] if named else []
    known = sorted(cut for cut in cuts if panel.left < cut < cell.right)
    whole = (named.width if named else 0.0) + cell.width
    if whole <= (MOST if named else WIDE * MOST) or not known:
        yield [*before, cell]
        return
    begin = cell.left if named else panel.left - EDGE / 2
    many = math.ceil((cell.right - begin) / (MOST - axis.width))
    even = (cell.right - begin) / many + max(second - first for first, second in pairwise([begin, *known]))
    while begin < cell.right - EDGE:
        room = begin + min(MOST - axis.width, even)
        reached = [cut for cut in known if begin < cut <= room]
        last = panel.right <= room + EDGE  # the space behind the last column makes no part of its own
        end = cell.right if last or not (reached or [cut for cut in known if cut > begin]) else 0.0
        if not end:
            end = reached[-1] if reached else next(cut for cut in known if cut > begin)
        yield [axis, Rect(begin, cell.top, end, cell.bottom)]
        begin = end
