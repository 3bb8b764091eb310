"""Sections of cities: rows of a city table that are boroughs, wards or quarters of another row.

Rule: docs/reliability-rules.md#locality-target. It knows which rows of GeoNames they are; it must never know a
distance, a target or an item.
"""

from __future__ import annotations

from harness.models.city_sections import SECTIONS
from harness.studies.reliability.data.cities import City, CityTable


def sections(table: CityTable) -> list[City]:
    """Give the rows that are sections; none where a city's number is no geonameid, and the counts say so."""
    return [city for city in table.rows if table.geonames and city.number in SECTIONS]
