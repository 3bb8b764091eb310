"""Maps of the demo: a box of degrees drawn as a frame with a labelled graticule, made-up shores and stations.

Degrees are spaced evenly along both edges (plate carrée). Independent of records, captions and scoring.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from harness import seeds
from harness.studies.curie.demo.rasters import BLUE, GREY, HIGH, INK, PAPER, WIDE, Raster

LEFT, TOP, RIGHT, BOTTOM = 96, 14, 50, 34  # pixels around the frame, for the labels
ACROSS = 300  # pixels from the western to the eastern edge
_LOWEST, _HIGHEST = 160, 300  # pixels from the southern to the northern edge
_TICK = 5
_ROUND = ((100, 0), (87, 50), (50, 87), (0, 100), (-50, 87), (-87, 50),
          (-100, 0), (-87, -50), (-50, -87), (0, -100), (50, -87), (87, -50))  # fmt: skip


@dataclass(frozen=True, slots=True)
class MapSheet:
    """A map to be drawn: its edges and the distances of its lines, in degrees; `east` < `west` if it crosses 180°.

    At least two lines in each direction must lie between the edges, or the box cannot be read from the map.
    """

    west: float
    south: float
    east: float
    north: float
    step: float  # degrees between two meridians
    rise: float = 0  # degrees between two parallels; 0 if equal to `step`
    inset: bool = False  # whether a small overview without labels is in a corner

    @property
    def width(self) -> float:
        """The map's width from its western to its eastern edge, in degrees eastward."""
        return (self.east - self.west) % 360

    @property
    def down(self) -> int:
        """The map's height from its northern to its southern edge, in pixels."""
        return max(_LOWEST, min(_HIGHEST, round(ACROSS * (self.north - self.south) / self.width)))


def drawn(sheet: MapSheet, source: seeds.Stream) -> bytes:
    """Return an invented map as PNG; its shores and stations are drawn at random from `source`."""
    raster = Raster(LEFT + ACROSS + RIGHT, TOP + sheet.down + BOTTOM)
    right, bottom = LEFT + ACROSS, TOP + sheet.down
    for x, label in _meridians(sheet):
        raster.line((x, TOP), (x, bottom), GREY)
        raster.line((x, bottom), (x, bottom + _TICK))
        raster.write(x - len(label) * WIDE // 2, bottom + _TICK + 5, label)
    for y, label in _parallels(sheet):
        raster.line((LEFT, y), (right, y), GREY)
        raster.line((LEFT - _TICK, y), (LEFT, y))
        raster.write(LEFT - _TICK - 3 - len(label) * WIDE, y - HIGH // 2, label)
    for _ in range(3):
        raster.outline(_shore(source, sheet.down), BLUE)
    for _ in range(12):
        x, y = LEFT + 8 + seeds.draw_below(source, ACROSS - 16), TOP + 8 + seeds.draw_below(source, sheet.down - 16)
        raster.line((x - 2, y - 2), (x + 2, y + 2))
        raster.line((x - 2, y + 2), (x + 2, y - 2))
    if sheet.inset:
        _inset(raster, right - 70, TOP + 10)
    raster.frame(LEFT, TOP, right, bottom)
    return raster.png()


def _meridians(sheet: MapSheet) -> Iterator[tuple[int, str]]:
    for value in _multiples(sheet.west, sheet.west + sheet.width, sheet.step):
        turned = (value + 180) % 360 - 180
        side = "" if turned in (0, -180) else "E" if turned > 0 else "W"
        yield LEFT + round(ACROSS * (value - sheet.west) / sheet.width), f"{abs(turned):g}°{side}"


def _parallels(sheet: MapSheet) -> Iterator[tuple[int, str]]:
    for value in _multiples(sheet.south, sheet.north, sheet.rise or sheet.step):
        side = "" if value == 0 else "N" if value > 0 else "S"
        yield TOP + round(sheet.down * (sheet.north - value) / (sheet.north - sheet.south)), f"{abs(value):g}°{side}"


def _multiples(low: float, high: float, step: float) -> Iterator[float]:
    """Yield the multiples of a step from `low` to `high`, both included."""
    number = -int(-low // step)
    while number * step <= high:
        yield number * step
        number += 1


def _shore(source: seeds.Stream, down: int) -> list[tuple[int, int]]:
    """Draw a closed shore that lies within the frame."""
    x, y = LEFT + 70 + seeds.draw_below(source, ACROSS - 140), TOP + 55 + seeds.draw_below(source, max(1, down - 110))
    sizes = [20 + seeds.draw_below(source, 30) for _ in _ROUND]
    return [(x + size * along // 100, y + size * up // 100) for size, (along, up) in zip(sizes, _ROUND, strict=True)]


def _inset(raster: Raster, left: int, top: int) -> None:
    """Draw an overview on a white background: a large area with the map's own area in it."""
    for y in range(top, top + 51):
        raster.line((left, y), (left + 60, y), PAPER)
    raster.frame(left, top, left + 60, top + 50, INK)
    raster.frame(left + 24, top + 20, left + 38, top + 30, INK)
