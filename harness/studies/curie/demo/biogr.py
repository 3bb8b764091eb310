"""The maker of the demo's BIOGR records: maps of real regions with a labelled graticule, and their boxes as gold.

The box is chosen first and the map is drawn from it. The shores on the map are made up. Independent of prompts, models
and scoring.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.studies.curie.data.records import TaskRecord, write
from harness.studies.curie.data.shown import SHOWN, show_alone
from harness.studies.curie.demo.documents import one
from harness.studies.curie.demo.maps import MapSheet, drawn
from harness.studies.curie.demo.selection import first, generated, named, stream

TASK = "biogr"


@dataclass(frozen=True, slots=True)
class MapSite:
    """A real region and its map: easy if its edges are labelled, hard if it has few lines or crosses 180°.

    The map shows the region at least in part. The caption names the region and states no degrees.
    """

    level: str
    region: str
    sheet: MapSheet


SITES: tuple[MapSite, ...] = (
    MapSite("easy", "the North Sea", MapSheet(-5, 50, 10, 60, 5)),
    MapSite("medium", "the Galápagos Islands", MapSheet(-92.5, -2, -88.5, 1.5, 1)),
    MapSite("hard", "the Fiji Islands", MapSheet(176.2, -20.4, -177.6, -15.3, 2)),
    MapSite("easy", "the Black Sea", MapSheet(25, 40, 45, 50, 5)),
    MapSite("medium", "Tasmania and Bass Strait", MapSheet(143.4, -44.2, 149.3, -39.1, 2)),
    MapSite("hard", "the shelf off Patagonia", MapSheet(-77.3, -55.8, -51.4, -38.6, 10, 5)),
    MapSite("easy", "the Gulf of Mexico", MapSheet(-100, 15, -80, 30, 5)),
    MapSite("medium", "the Iberian Peninsula", MapSheet(-10.4, 35.3, 4.2, 44.6, 4)),
    MapSite("hard", "the Bering Sea", MapSheet(161.5, 51.2, -156.8, 66.3, 10, 5, inset=True)),
    MapSite("medium", "Lake Victoria", MapSheet(31.3, -3.2, 35.1, 0.7, 1)),
    MapSite("hard", "the Weddell Sea", MapSheet(-62.7, -78.4, -9.6, -59.2, 15, 5)),
    MapSite("hard", "Svalbard", MapSheet(9.3, 76.2, 34.1, 80.9, 10, 2, inset=True)),
)  # fmt: skip
_SUBJECTS = ("Sampling stations", "Positions of moorings", "Sites of trawls", "Sightings from ships")
_TIMES = ("spring", "summer", "autumn", "winter")


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `items`, `gold`, `media` and `counts` of `count` invented maps of real regions, drawn from `seed`.

    With `shown`, the image or the caption is left out of what is asked.
    Raises InputError if the count is below one or above the number of maps.
    """
    sites = first(SITES, params["count"], "maps")
    records = [record(params["seed"], index) for index in range(len(sites))]
    if shown := params.get(SHOWN):
        write(TASK, show_alone(records, shown), out, counts={SHOWN: shown})
        return
    write(TASK, records, out)


def record(seed: int, index: int) -> TaskRecord:
    """Return the demo record of map `index`, which depends on the seed and on no other record."""
    site, name = SITES[index], named(index)
    source, sheet = stream(seed, TASK, name), site.sheet
    caption = (
        f"{one(source, _SUBJECTS)} (crosses) of the {one(source, _TIMES)} survey in {site.region}. Thin lines: "
        "graticule, labelled in degrees. Shores (blue) are drawn schematically."
    )
    if sheet.inset:
        caption += " The small frame in the corner shows where the area lies."
    box = {"W": sheet.west, "S": sheet.south, "E": sheet.east, "N": sheet.north}
    meta = {**generated(seed), "projection": "plate carrée"}
    truth = json.dumps({**box, "record_id": name})
    return TaskRecord(name, caption, truth, json.dumps(box), site.level, (drawn(sheet, source),), meta)
