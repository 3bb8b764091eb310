"""The maker of the demo's GEO records: papers about invented data sets on real places, and those data sets as gold.

What a paper uses is drawn first and written down twice, as an object and in words. Data sets that are only mentioned
are not gold. Independent of prompts, models and scoring.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from harness import seeds
from harness.errors import InputError
from harness.studies.curie.data.records import TaskRecord, write
from harness.studies.curie.demo.documents import Section, one, paper, place, turn
from harness.studies.curie.demo.filler import GENERAL
from harness.studies.curie.demo.geo_prose import GEOGRAPHY
from harness.studies.curie.demo.geo_topics import REGIONS, TOPICS, DataTopic, StudyRegion
from harness.studies.curie.demo.selection import WORDS, laid, named, stream, written

TASK = "geo"
LEVELS = ("easy", "medium", "hard")
_FIRST_DAY, _DAYS = date(1998, 1, 1), 6000  # the earliest first day of a series, and the range of first days
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


@dataclass(frozen=True, slots=True)
class _Series:
    """A variable of a data set, in some places and between two days."""

    name: str
    description: str
    begin: date
    end: date
    places: tuple[str, ...]

    def as_data(self) -> dict[str, Any]:
        return {
            "variable_name": self.name,
            "description": self.description,
            "time_range": {"start_date": self.begin.isoformat(), "end_date": self.end.isoformat()},
            "spatial_range": list(self.places),
        }


@dataclass(frozen=True, slots=True)
class _DataSet:
    """An invented data set: its name, its address and its variables."""

    name: str
    address: str
    series: tuple[_Series, ...]

    def as_data(self) -> dict[str, Any]:
        return {
            "dataset_name": self.name,
            "dataset_website_or_source": [self.address],
            "variables": [each.as_data() for each in self.series],
        }


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `items`, `gold`, `counts` of `count` invented papers on geodata, from `seed`; InputError if `count` < 1."""
    seed, count = params["seed"], params["count"]
    if count < 1:
        raise InputError(f"{count} records are none", where="count", next="make at least one record")
    write(TASK, [record(seed, index) for index in range(count)], out)


def record(seed: int, index: int) -> TaskRecord:
    """Return the demo record `index`, which depends on the seed alone; levels alternate easy, medium, hard."""
    name, level = named(index), LEVELS[index % len(LEVELS)]
    source = stream(seed, TASK, name)
    region = turn(seed, "curie.demo.geo.region", index, REGIONS)
    topics = seeds.draw_sample(source, TOPICS, 3 + LEVELS.index(level))
    used = [_data_set(source, region, topic, level) for topic in topics[:-2]]
    unused = [_data_set(source, region, topic, level) for topic in topics[-2:]]
    title = f"What the sources say about {region.name}" if level == "hard" else f"Measurements from {region.name}"
    said = {
        "paper_title": title,
        "paper_link": f"https://papers.example.org/{name}",
        "datasets": [each.as_data() for each in used],
        "notes": "",
    }
    text, at = _document(source, said, used, unused, level)
    truth = json.dumps({**said, "record_id": name}, ensure_ascii=False)
    answer = json.dumps(said, ensure_ascii=False, indent=2)
    return TaskRecord(name, text, truth, answer, level, meta=written(seed, text, at))


def _data_set(source: seeds.Stream, region: StudyRegion, topic: DataTopic, level: str) -> _DataSet:
    """Draw a data set of a topic, with one variable in an easy paper, else both; each has its own days and places."""
    name = f"{region.name.removeprefix('the ')} {topic.noun}"
    chosen = topic.variables if level != "easy" else (one(source, topic.variables),)
    address = f"https://data.example.org/{name.lower().replace(' ', '-')}"
    return _DataSet(name, address, tuple(_series(source, region, topic, each) for each in chosen))


def _series(source: seeds.Stream, region: StudyRegion, topic: DataTopic, variable: tuple[str, str, str]) -> _Series:
    name, measured, unit = variable
    begin = _FIRST_DAY + timedelta(days=seeds.draw_below(source, _DAYS))
    end = begin + timedelta(days=365 + seeds.draw_below(source, 2500))
    places = seeds.draw_sample(source, region.places, 2 + seeds.draw_below(source, 2))
    written = unit if unit.startswith("of ") else f"in {unit}"
    return _Series(name, f"{measured} {written}, {one(source, topic.spacing)}", begin, end, tuple(places))


def _document(
    source: seeds.Stream, said: Mapping[str, Any], used: list[_DataSet], unused: list[_DataSet], level: str
) -> tuple[str, int]:
    """Return the paper, and the position in percent at which the first data set that it uses is described."""
    told = [Section(f"Data {number}", (_told(each, level),)) for number, each in enumerate(used, 1)]
    others = [
        Section("Sources that were set aside", tuple(_set_aside(each, level) for each in unused)),
        Section("Methods", ("All series were brought to the same calendar.",)),
        Section("Results", ("The places differ more from each other than the years do.",)),
    ]
    abstract = f"{said['paper_title']}: we combine what has been measured there. This paper: {said['paper_link']}"
    sections = [
        Section("Abstract", (abstract,), filled=False),
        Section("Introduction", ("Whoever plans for a landscape needs to know what has been measured in it.",)),
        *laid(source, told, others, level),
        Section("Discussion", ("More years would help, and so would more places.",)),
    ]
    text = paper(source, said["paper_title"], sections, (*GEOGRAPHY, *GENERAL), WORDS[level])
    return text, place(text, told[0].told[0])


def _told(data: _DataSet, level: str) -> str:
    """Return sentences that describe a data set that the paper uses."""
    return f"We use the {data.name} ({data.address}). " + " ".join(_sentence(each, level) for each in data.series)


def _set_aside(data: _DataSet, level: str) -> str:
    """Return sentences on a data set that the paper does not use: a distractor in the same form."""
    described = " ".join(_sentence(each, level) for each in data.series)
    return f"The {data.name} ({data.address}) was looked at and not used. {described}"


def _sentence(series: _Series, level: str) -> str:
    days = [
        day.isoformat() if level == "easy" else f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
        for day in (series.begin, series.end)
    ]
    places = f"{', '.join(series.places[:-1])} and {series.places[-1]}"
    return f"Its variable {series.name} holds {series.description}; it covers {places} from {days[0]} to {days[1]}."
