"""Sections of cities: rows of a city table that are boroughs, wards or quarters of another row.

Rule: docs/reliability-rules.md#locality-target. Uses a list of GeoNames ids; independent of distances, targets and
items.
"""

from __future__ import annotations

from harness.models.city_sections import SECTIONS
from harness.studies.reliability.data.cities import City, CityTable


def sections(table: CityTable) -> list[City]:
    """Return a city table's rows that are boroughs or quarters of another row; none if numbers are not geonameids."""
    return [city for city in table.rows if table.geonames and city.number in SECTIONS]
