"""Near misses of BIOGR: boxes of invented maps, of a plain region, one of odd minutes, and two at the edge of maps."""

from __future__ import annotations

import json
from typing import Any

from studies.curie.scoring.near_misses.within import row


def box(west: Any, south: Any, east: Any, north: Any) -> str:
    """Write a box as the prompt asks for it."""
    return json.dumps({"W": west, "S": south, "E": east, "N": north})


PLAIN = box(-8, 50, 2, 60)
MINUTES = box(-8.25, 49.9, 1.77, 60.86)
WESTERN = box(-130, 30, -110, 50)
ISLANDS = box(170, -20, 190, -10)
FENCED = f"The graticule is labelled, so the corners can be read:\n```json\n{box(2, 60, -8, 50)}\n```\n"
TURNED = '```json\n{"N": 60, "E": 2, "S": 50, "W": -8}\n```\nRead off the graticule.'
TWICE = f"A first look gives {box(-20, 40, 10, 70)}, but the legend names the coast. So the answer is {PLAIN}."
RAISES = "the published code raises; its tables count 0"
CANCELLED = "areas are signed there, the two cancel, and it divides by 0; its tables count 0"

ROWS = [
    row(PLAIN, "keys in another order, a fence, a remark", TURNED, 1.0, "the same box"),
    row(PLAIN, "numbers as texts", box("-8", "50", "2", "60.0"), 1.0, "the same numbers", RAISES),
    row(PLAIN, "a first guess before the answer", TWICE, 1.0, "the last word counts",
        "it reads from the first brace to the last, which is no object; counted 0"),
    row(WESTERN, "longitudes from 0 to 360", box(230, 30, 250, 50), 1.0, "the same meridians", "a plane has no 360°"),
    row(ISLANDS, "across the antimeridian: east -170 for 190", box(170, -20, -170, -10), 1.0, "the same meridian",
        "the box has a width of -340° on a plane"),
    row(MINUTES, "minutes rounded to whole degrees", box(-8, 50, 2, 61), (0.9, 0.99), "a good reading, a little off"),
    row(MINUTES, "minutes read as decimals: 8.15 for 8°15'", box(-8.15, 49.54, 1.46, 60.52), (0.85, 0.97),
        "a common slip, of a third of a degree"),
    row(PLAIN, "one degree off at one side", box(-8, 50, 2, 61), (0.85, 0.95), "a tenth of the height too much"),
    row(PLAIN, "moved by half a degree each way", box(-7.5, 50.5, 2.5, 60.5), (0.75, 0.92), "nine tenths of it cover"),
    row(PLAIN, "half as wide, half as high, same centre", box(-5.5, 52.5, -0.5, 57.5), (0.2, 0.3),
        "right place, a quarter of the map"),
    row(PLAIN, "twice as wide, twice as high, same centre", box(-13, 45, 7, 65), (0.2, 0.3),
        "right place, four times the map"),
    row(PLAIN, "the map next to it", box(2, 50, 12, 60), (0.0, 0.05), "nothing of the map is in it"),
    row(PLAIN, "the sign of the longitudes wrong", box(-2, 50, 8, 60), (0.1, 0.35), "only a strip is common"),
    row(WESTERN, "the sign wrong, far from Greenwich", box(110, 30, 130, 50), 0.0, "another continent"),
    row(PLAIN, "latitudes and longitudes changed about", box(50, -8, 60, 2), 0.0, "another ocean"),
    row(PLAIN, "the whole world", box(-180, -90, 180, 90), (0.0, 0.01), "true of every map"),
    row(PLAIN, "a town in its middle", box(-3.1, 54.9, -2.9, 55.1), (0.0, 0.01), "a point is no map"),
    row(box(10, -5, 20, 5), "the sign of the south lost at the equator", box(10, 5, 20, 5), (0.0, 0.1),
        "a line is no map"),
    row(PLAIN, "west and east changed about", box(2, 50, -8, 60), (0.0, 0.1),
        "as written it is the rest of the world; it wants a flag, not a repair (B5)", CANCELLED),
    row(PLAIN, "south and north changed about", box(-8, 60, 2, 50), (0.0, 0.5),
        "what is meant can be seen, but no program can use it", CANCELLED),
    row(PLAIN, "all corners changed about, in a fence", FENCED, (0.0, 0.5),
        "corners are right, sides are not", "a box whose sides are turned meets nothing"),
    row(PLAIN, "one side unknown: null", box(-8, 50, 2, None), (0.0, 0.2), "three sides bound no map", RAISES),
    row(PLAIN, "degrees and letters: 8°W", box("8°W", "50°N", "2°E", "60°N"), 1.0, "how a map itself writes it", RAISES,
        "B2: a side is a number or a plain decimal number; what else a text may mean is not guessed"),
]  # fmt: skip
