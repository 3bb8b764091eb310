"""Panels of coloured squares: a matrix with its numbers, and a scale of a few shades that all figures share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from harness.kit import charts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = Any  # a numpy array
SHADES = 8
EMPTY, PALE = (255, 255, 255), (232, 240, 246)  # no value; the lowest value
DARK, OTHER = (0, 60, 110), (150, 62, 0)  # the highest value; the lowest value if negative values have their own colour


def shaded(values: Array, low: float, high: float) -> Array:
    """Return a colour, [..., 3] of bytes, for each value: eight shades from `low` to `high`, white if not finite.

    If `low` is below 0, negative values have shades of another colour.
    """
    import numpy as np  # noqa: PLC0415

    found = np.asarray(values, np.float64)
    known = np.isfinite(found)
    filled = np.where(known, found, 0.0)
    reach = np.where(filled < 0, -min(low, 0.0), high) if low < 0 else np.full(found.shape, max(high, 0.0))
    share = np.divide(np.abs(filled), reach, out=np.zeros(found.shape), where=reach > 0)
    step = np.clip(np.ceil(share * SHADES - 1e-9), 0, SHADES)[..., None] / SHADES
    ends = np.where((filled < 0)[..., None], np.array(OTHER), np.array(DARK)) if low < 0 else np.array(DARK)
    colours = np.array(PALE) + step * (ends - np.array(PALE))
    if low >= 0:
        colours = np.where((filled <= 0)[..., None], np.array(PALE), colours)
    return np.where(known[..., None], colours, np.array(EMPTY)).round().astype(np.uint8)


def matrix(axes: Axes, values: Array, shades: Array, *, numbers: bool = True) -> None:
    """Draw a matrix as squares with their numbers; a square is darker the higher its shade, from 0 up, in the panel."""
    from matplotlib.collections import PolyCollection  # noqa: PLC0415

    colours = shaded(shades, 0.0, float(shades.max()) or 1.0) / 255
    rows, columns = values.shape
    places = [(row, column) for row in range(rows) for column in range(columns)]
    squares = [[(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)] for y, x in places]
    faces = [tuple(colours[place].tolist()) for place in places]
    axes.add_collection(PolyCollection(squares, facecolors=faces, edgecolors=charts.PAPER, linewidths=0.4))
    axes.set(xlim=(0, columns), ylim=(rows, 0), xticks=[], yticks=[])
    for spine in axes.spines.values():
        spine.set_visible(False)
    for row, column in places if numbers else ():
        colour = charts.PAPER if math.fsum(faces[row * columns + column]) < 1.6 else charts.INK
        axes.text(
            column + 0.5,
            row + 0.5,
            f"{values[row, column]:.2f}".removesuffix(".00"),
            ha="center",
            va="center",
            fontsize=6,
            color=colour,
        )


def scale(sheet: charts.Sheet, left: float, top: float, low: float, high: float) -> None:
    """Draw the key of `shaded` below a panel: its shades from the lowest to the highest value, with both numbers."""
    import numpy as np  # noqa: PLC0415

    from harness.studies.brain.pages.figures_rows import spelled  # noqa: PLC0415

    steps = np.linspace(min(low, 0.0), high, 2 * SHADES + 1 if low < 0 else SHADES + 1)
    axes = sheet.panel(left + 0.5, top, 1.6, 0.11)
    colours = shaded(steps, low, high) / 255
    axes.bar(range(len(steps)), [1.0] * len(steps), width=1.0, color=[tuple(one) for one in colours.tolist()])
    axes.set(xlim=(-0.5, len(steps) - 0.5), ylim=(0, 1), xticks=[], yticks=[])
    sheet.text(left + 0.45, top + 0.055, spelled(float(steps[0])), ha="right", va="center", **charts.FAINT)
    sheet.text(left + 2.15, top + 0.055, spelled(high), ha="left", va="center", **charts.FAINT)
