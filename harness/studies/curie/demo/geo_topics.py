"""What the demo's GEO papers are drawn from (OURS): real places and units, and invented kinds of data sets.

No data set of these names exists, and every address is one that is reserved for examples. Independent of the wording of
a paper and of scoring.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StudyRegion:
    """A real country or part of one, and real places in it of one kind."""

    name: str
    kind: str  # kind of the places, in the plural
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DataTopic:
    """A kind of data set: its name, and its variables, each with what is measured and in which unit."""

    noun: str
    variables: tuple[tuple[str, str, str], ...]  # name, what is measured, unit
    spacing: tuple[str, ...]  # choices for the spacing of the data


REGIONS: tuple[StudyRegion, ...] = (
    StudyRegion("Kenya", "counties", ("Nakuru", "Kisumu", "Kakamega", "Kiambu", "Turkana", "Garissa")),
    StudyRegion("the Netherlands", "provinces", ("Zeeland", "Friesland", "Drenthe", "Gelderland", "Limburg")),
    StudyRegion("Chile", "regions", ("Antofagasta", "Atacama", "Coquimbo", "Maule", "Los Lagos", "Magallanes")),
    StudyRegion("Oregon", "counties", ("Benton County", "Lane County", "Linn County", "Marion County", "Polk County")),
    StudyRegion("Switzerland", "cantons", ("Bern", "Valais", "Ticino", "Uri", "Glarus")),
    StudyRegion("Ghana", "regions", ("Ashanti", "Volta", "Central Region", "Upper East", "Upper West")),
    StudyRegion("New Zealand", "regions", ("Waikato", "Otago", "Southland", "Canterbury", "Taranaki")),
    StudyRegion("Bangladesh", "districts", ("Khulna", "Satkhira", "Bagerhat", "Barisal", "Bhola", "Patuakhali")),
    StudyRegion("Scotland", "council areas", ("Highland", "Moray", "Fife", "Angus", "Stirling")),
    StudyRegion("Portugal", "districts", ("Faro", "Beja", "Coimbra", "Aveiro", "Viseu", "Leiria")),
    StudyRegion("Vermont", "counties", ("Addison County", "Chittenden County", "Windsor County", "Orleans County")),
    StudyRegion("Sri Lanka", "districts", ("Kandy", "Galle", "Jaffna", "Matara", "Badulla")),
)

_GAUGES = ("every 10 minutes", "every 15 minutes", "every 60 minutes", "every 24 hours")
_GRIDS = ("on a grid of 250 m", "on a grid of 500 m", "on a grid of 1 km", "on a grid of 5 km")
TOPICS: tuple[DataTopic, ...] = (
    DataTopic(
        "Rain Gauge Archive",
        (("rainfall", "totals of rainfall", "mm"), ("rain duration", "time with rain in a day", "h")),
        _GAUGES,
    ),
    DataTopic(
        "Climate Station Register",
        (
            ("air temperature", "temperature of the air at a height of 2 m", "°C"),
            ("wind speed", "speed of the wind at a height of 10 m", "m/s"),
        ),
        _GAUGES,
    ),
    DataTopic(
        "Air Monitoring Service",
        (("PM2.5", "mass of fine particles", "µg/m³"), ("nitrogen dioxide", "mass of nitrogen dioxide", "µg/m³")),
        _GAUGES,
    ),
    DataTopic(
        "River Level Network",
        (("discharge", "flow of the river", "m³/s"), ("water level", "height of the river above its gauge", "m")),
        _GAUGES,
    ),
    DataTopic(
        "Vegetation Mosaic",
        (
            ("greenness index", "composites of a greenness index, in steps", "of 16 days"),
            ("canopy height", "height of the canopy", "m"),
        ),
        _GRIDS,
    ),
    DataTopic(
        "Settlement Layer",
        (
            ("population density", "residents", "people/km²"),
            ("built-up share", "share of the ground under buildings", "%"),
        ),
        _GRIDS,
    ),
    DataTopic(
        "Clinic Reporting System",
        (
            ("malaria cases", "confirmed cases among residents", "cases/week"),
            ("clinic visits", "visits of outpatients", "visits/week"),
        ),
        ("from 48 clinics", "from 120 clinics"),
    ),
    DataTopic(
        "Night Light Series",
        (
            ("radiance", "light that leaves the ground at night", "nW/cm²/sr"),
            ("cloud-free nights", "nights without clouds in a month", "nights"),
        ),
        _GRIDS,
    ),
)
