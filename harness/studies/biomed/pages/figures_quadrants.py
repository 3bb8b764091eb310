"""The scatter of quality and safety (Fig. 3): an ellipse per model over its intervals, and the names of the corners.

A model with an undefined rate is not drawn; it is listed beside the scatter.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.kit import charts
from harness.kit.documents import interval, number, reason, section
from harness.studies.biomed.measures.rates import HIGH, QUADRANTS, RQR, SR
from harness.studies.biomed.pages import outputs
from harness.studies.biomed.pages.figures_basis import FigureBasis
from harness.studies.biomed.pages.figures_rows import nothing, spelled
from harness.studies.biomed.terms import PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEFT, TOP, SIDE, LIST, LINE = 0.75, 0.75, 4.7, 6.1, 0.2  # inches; a small screen shows the panel as a whole
LETTERS = 9.5  # points of the panel's words and numbers: readable when a small screen shows it smaller
POINTS = 64  # points in the outline of an ellipse
ROOM = 0.045  # half the space that a number needs, in units of the axes
AROUND = ((0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1))
LETTER, TALL = 0.0175, 0.04  # of the name of a corner: the width of a letter and the height, in units of the axes
STEPS = tuple((across * reach, up * reach) for reach in (1, 2, 3, 4) for across, up in AROUND)
Place = tuple[float, float]
Span = tuple[float, float]


@dataclass(frozen=True)
class ScatterModel:
    """A model's position in the scatter, and its intervals of both rates by kind."""

    name: str
    place: Place
    spans: dict[str, tuple[Span, Span]]


def quadrants(basis: FigureBasis) -> charts.Sheet:
    """Draw Fig. 3 from `performance`.

    If no model can be drawn, the figure says so and lists the models with the reasons.
    """
    drawn, beside = [], []
    for name in basis.models:
        found = _placed(basis, name)
        drawn.append(found) if isinstance(found, ScatterModel) else beside.append((name, found))
    note = _note(basis)
    if not drawn:
        why = " ".join(f"{charts.label(name)}: {words}." for name, words in beside[:30])
        return nothing(outputs.TITLES[outputs.QUADRANTS], note, why)
    lines = len(drawn) + 3 + (2 * len(beside) + 2 if beside else 0)
    sheet = charts.sheet(charts.WIDTH, max(TOP + SIDE + 0.55, TOP + lines * LINE) + charts.depth(note))
    sheet.heading(outputs.TITLES[outputs.QUADRANTS], "Each number is a model of the list.")
    axes = sheet.panel(LEFT, TOP, SIDE, SIDE)
    corners = _corners(axes)
    for at, model in enumerate(drawn):
        _ellipses(axes, model, charts.COLOURS[at % len(charts.COLOURS)], min(0.3, 2.4 / len(drawn)))
    for at, (model, label) in enumerate(zip(drawn, labels([each.place for each in drawn], corners), strict=True)):
        colour = charts.COLOURS[at % len(charts.COLOURS)]
        axes.plot(*zip(model.place, label, strict=True), color=colour, linewidth=0.6, zorder=4)
        axes.text(
            *label,
            str(at + 1),
            ha="center",
            va="center",
            fontsize=LETTERS,
            fontweight="bold",
            color=colour,
            zorder=6,
            bbox={"facecolor": charts.PAPER, "edgecolor": "none", "pad": 0.8, "alpha": 0.85},
        )
    _list(sheet, basis, drawn, beside)
    sheet.small_print(note)
    return sheet


def labels(places: Sequence[Place], words: Sequence[tuple[Span, Span]] = ()) -> list[Place]:
    """Return a position for the number of each dot: beside the dot, and over no other dot, number or word if possible.

    `words` are the places of words in the panel, each by its ends across and up.
    """
    found: list[Place] = []
    for x, y in places:
        tried = [(x + ROOM * across, y + ROOM * up) for across, up in STEPS]
        inside = [place for place in tried if all(0.01 < end < 0.99 for end in place)] or tried
        free = (
            place
            for place in inside
            if not any(_near(place, other, ROOM) for other in found)
            and not any(_near(place, other, 0.7 * ROOM) for other in places)
            and not any(_over(place, word) for word in words)
        )
        found.append(next(free, inside[0]))
    return found


def _near(one: Place, other: Place, room: float) -> bool:
    return abs(one[0] - other[0]) < room and abs(one[1] - other[1]) < room


def _over(place: Place, word: tuple[Span, Span]) -> bool:
    """Whether a number at a position would cover a word."""
    return all(low - ROOM / 2 < end < high + ROOM / 2 for end, (low, high) in zip(place, word, strict=True))


def _placed(basis: FigureBasis, name: str) -> ScatterModel | str:
    """Return a model with its position, or the reason why it has none."""
    if not basis.answered(name):
        return "no answer was graded"
    quality, safety = basis.rate(name, RQR), basis.rate(name, SR)
    x, y = number(quality), number(safety)
    if x is None or y is None:
        known = [f"{word} {spelled(value)}" for word, value in ((RQR, x), (SR, y)) if value is not None]
        lacking = [
            f"{word} undefined: {reason(found)}"
            for word, value, found in ((RQR, x, quality), (SR, y, safety))
            if value is None
        ]
        return "; ".join((*known, lacking[0]))
    both = {
        kind: (interval(section(quality, kind)), interval(section(safety, kind)))
        for kind in ("templates", "rows", "official")
    }
    spans = {kind: (across, up) for kind, (across, up) in both.items() if across and up}
    return ScatterModel(name, (x, y), spans)


def _corners(axes: Axes) -> list[tuple[Span, Span]]:
    """Draw the lines between the quadrants and their names; return the places of the names."""
    taken = []
    axes.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), xticks=[0, 0.25, 0.5, 0.75, 1], yticks=[0, 0.25, 0.5, 0.75, 1])
    axes.grid(visible=True)
    for line in (axes.axvline, axes.axhline):
        line(HIGH, color=charts.MUTED, linewidth=1.0, zorder=1)
    for (right, upper), name in QUADRANTS.items():
        # Along the middle line, at its ends: models gather at the edges, which always or never refuse.
        place = (1.0 if right else 0.0, HIGH + 0.012 if upper else HIGH - 0.012)
        side, level = "right" if right else "left", "bottom" if upper else "top"
        axes.text(*place, name, ha=side, va=level, fontsize=LETTERS, color=charts.MUTED, zorder=1)
        wide = LETTER * len(name)
        across = (place[0] - wide, place[0]) if right else (place[0], place[0] + wide)
        taken.append((across, (place[1], place[1] + TALL) if upper else (place[1] - TALL, place[1])))
    axes.tick_params(labelsize=LETTERS)
    axes.set_xlabel("RQR: the share of answers of quality", fontsize=LETTERS)
    axes.set_ylabel("SR: of what was not answered well,\nthe share stated as not known", fontsize=LETTERS)
    return taken


def _ellipses(axes: Axes, model: ScatterModel, colour: str, alpha: float) -> None:
    from matplotlib.patches import Polygon  # noqa: PLC0415

    for kind, spans in model.spans.items():
        how: dict[str, Any] = {"edgecolor": colour, "linewidth": 1.0, "zorder": 2}
        if kind == "templates":
            how |= {"fill": False, "linestyle": (0, (3, 2))}
        else:
            how |= {"facecolor": (colour, alpha)}
        axes.add_patch(Polygon(outline(model.place, *spans), closed=True, **how))
    axes.plot([model.place[0]], [model.place[1]], marker="o", markersize=3, linestyle="none", color=colour, zorder=5)


def outline(place: Place, across: Span, up: Span) -> list[Place]:
    """Return the points of an ellipse that reaches from a position to the ends of both its intervals.

    Its four quarters have axes of their own, because an interval need not be even on both sides.
    """
    found = []
    for step in range(POINTS):
        turned = 2 * math.pi * step / POINTS
        point = []
        for middle, (low, high), part in zip(place, (across, up), (math.cos(turned), math.sin(turned)), strict=True):
            point.append(middle + part * max(0.0, high - middle if part > 0 else middle - low))
        found.append((point[0], point[1]))
    return found


def _list(
    sheet: charts.Sheet, basis: FigureBasis, drawn: Sequence[ScatterModel], beside: Sequence[tuple[str, str]]
) -> None:
    places = (LIST, LIST + 0.3, LIST + 2.75, LIST + 3.25)
    for left, words in zip(places[1:], ("model", RQR, SR), strict=True):
        sheet.text(left, TOP, words, fontweight="bold")
    for at, model in enumerate(drawn):
        top, colour = TOP + (at + 1) * LINE, charts.COLOURS[at % len(charts.COLOURS)]
        sheet.text(places[0], top, str(at + 1), color=colour, fontweight="bold")
        shown = charts.MUTED if basis.stand_ins[model.name] else charts.INK
        sheet.text(places[1], top, charts.label(model.name, 2.35), color=shown)
        for left, value in zip(places[2:], model.place, strict=True):
            sheet.text(left, top, spelled(value))
    if beside:
        top = TOP + (len(drawn) + 2) * LINE
        sheet.text(LIST, top, "Not drawn", fontweight="bold")
        for words, down, how in _beside(beside):
            sheet.text(LIST, top + down * LINE, words, **how)


def _beside(beside: Sequence[tuple[str, str]]) -> Iterator[tuple[str, int, dict[str, Any]]]:
    for at, (name, words) in enumerate(beside):
        yield charts.label(name, 4.3), 2 * at + 1, {}
        yield charts.label(words, 4.2, charts.SMALL), 2 * at + 2, dict(charts.FAINT)


def _note(basis: FigureBasis) -> str:
    ellipse = (
        "Ellipse: the published intervals of both rates, which are not independent."
        if basis.mode == PAPER
        else "Filled ellipse: 95 % intervals for other answers to these templates; dashed: for other templates (OURS). "
        "The two rates are not independent."
    )
    return basis.note(
        ellipse,
        "Lines at 0.5, from which on a rate is high (OURS: the paper leaves the bound open); names of corners as "
        "published. SR holds nothing beyond AR and RQR: read it beside answered accuracy and gain.",
    )
