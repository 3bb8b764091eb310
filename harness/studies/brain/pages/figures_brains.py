"""Glass brains: the highest score of all units along each axis of the published voxel grid, seen from three sides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.kit import charts
from harness.studies.brain.pages import outputs
from harness.studies.brain.pages.figures_cells import scale, shaded
from harness.studies.brain.pages.figures_maps import MappedUnits, UnitMap, ends, mapped, picture
from harness.studies.brain.pages.figures_rows import nothing
from harness.studies.brain.pages.run_basis import BrainRun
from harness.studies.brain.pages.unit_scores import MeasuredUnits

Array = Any  # a numpy array
GRID = (79, 95, 69)  # voxels from left to right, from back to front, from bottom to top
VIEWS = (("from the side", 0), ("from the front", 1), ("from above", 2))
TOP, HEAD, FOOT, VOXEL, LEFT, GAP = 0.62, 0.75, 0.2, 0.0185, 0.3, 0.2  # inches


def brains(run: BrainRun, found: MeasuredUnits) -> charts.Sheet:
    """Draw three views of the score and of the gain for each data set whose units all have a place in the grid."""
    shown = [one for one in mapped(run, found) if _placed(one)]
    coarse = 1 if len(shown) < 2 else 2  # voxels on each side of a square; limits the size of the file
    note = (
        "The highest score of all units of all participants and networks behind a square; a square is "
        f"{coarse} x {coarse} voxels of the {' x '.join(map(str, GRID))} grid. White: no unit with a score stands "
        f"there.{run.origin()}"
    )
    if not shown:
        return nothing(outputs.TITLES[outputs.BRAINS], note)
    deep = HEAD + GRID[1] * VOXEL + FOOT
    sheet = charts.sheet(charts.WIDTH, TOP + len(shown) * deep + charts.depth(note))
    sheet.heading(outputs.TITLES[outputs.BRAINS], "R2 out of sample under contiguous splits.")
    for at, one in enumerate(shown):
        for place, own in enumerate(one.maps):
            left = LEFT + place * charts.WIDTH / 2
            sheet.above(left, TOP + at * deep + 0.2, charts.label(f"{one.dataset}: {own.title}", 0.45 * charts.WIDTH))
            _views(sheet, left, TOP + at * deep, _places(one), own, coarse)
    sheet.small_print(note)
    return sheet


def projected(places: Array, values: Array, axis: int, coarse: int) -> Array:
    """Return the highest value along an axis of the grid, [up, across] as viewed; NaN if there is none.

    A cell is `coarse` voxels wide and high.
    """
    import numpy as np  # noqa: PLC0415

    across, up = (each for each in range(3) if each != axis)
    cells = places // coarse
    found = np.full((GRID[across] // coarse + 1, GRID[up] // coarse + 1), -np.inf)  # places count from 0 or from 1
    known = np.isfinite(values)
    np.maximum.at(found, (cells[known, across], cells[known, up]), values[known])
    return np.where(np.isneginf(found), np.nan, found).T[::-1]


def _views(sheet: charts.Sheet, left: float, top: float, places: Array, own: UnitMap, coarse: int) -> None:
    low, high = ends(own.values)
    scale(sheet, left, top + 0.3, low, high)
    for words, axis in VIEWS:
        values = projected(places, own.values, axis, coarse)
        high_up, wide = (size * coarse * VOXEL for size in values.shape)
        sheet.text(left, top + HEAD - 0.18, words, **charts.FAINT)
        picture(sheet.panel(left, top + HEAD, wide, high_up), shaded(values, low, high), framed=True)
        left += wide + GAP


def _placed(one: MappedUnits) -> bool:
    return bool(one.recorded) and all(_is_place(unit.get("place")) for unit in one.recorded)


def _is_place(found: Any) -> bool:
    """Return whether `found` is a voxel of the grid: three whole numbers within it, counted from 0 or from 1."""
    return (
        isinstance(found, Sequence)
        and len(found) == len(GRID)
        and all(isinstance(each, int) and 0 <= each <= size for each, size in zip(found, GRID, strict=True))
    )


def _places(one: MappedUnits) -> Array:
    import numpy as np  # noqa: PLC0415

    return np.array([unit["place"] for unit in one.recorded])
