"""The second generation of the locality maker, OURS-v2: the answer is right in reality.

Rule: docs/reliability-rules.md#locality-target. The filters choose which cities are asked about. The target is the most
populous place of the whole table, sections of cities excepted. An item whose answer is not clear is dropped and counted
by its reason. Independent of prompts, models and scoring.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.answers.names import common_words_sha256
from harness.models.city_sections import sections_sha256
from harness.studies.reliability.data.cities import City, load, names, surviving, unique_names
from harness.studies.reliability.data.locality_draw import TASK, CityInstance, binned, draw, instances, write
from harness.studies.reliability.data.nearby import Candidates
from harness.studies.reliability.data.popularity import Popularity, popularity
from harness.studies.reliability.data.sections import sections
from harness.studies.reliability.data.settled import EDGE, PlaceNames, folded, scorable

GENERATOR_VERSION = "2"
_WORDS = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the locality benchmark by the newest rules: items (without answers), gold, budgets, counts, city names.

    Raises InputError if no city has a clear target.
    """
    table = load(inputs)
    parts = sections(table)
    inside = {city.number for city in parts}
    unfiltered = surviving(table.rows)
    asked = sorted((city for city in unfiltered if city.number not in inside), key=lambda city: city.name)
    candidates = Candidates([city for city in table.rows if city.number not in inside])
    found = instances(params["seed"], asked, candidates.targets)
    edge = {city for city in {target for _, target in found.values()} if candidates.overshadowed(city, EDGE)}
    clear = {name: pair for name, pair in found.items() if pair[1] not in edge}
    told = {name: pair for name, pair in clear.items() if scorable(name, pair[1].name)}
    usable = _instances(asked, told, popularity(inputs))
    drawn = draw(params["seed"], usable, params["per_bin"])
    about = {**table.about, "generator_version": GENERATOR_VERSION}
    write(drawn, _answers(drawn, candidates, PlaceNames(table.rows, parts)), about, params, out)
    tally = {
        "drawn": len(asked),
        "kept": len(drawn),
        "removed": len(asked) - len(drawn),
        "rows": len(table.rows),
        "unique_names": len(unique_names(table.rows)),
        "single_words": len(unfiltered),
        "sections": len(parts),
        "sections_known": table.geonames,
        "asked": len(asked),
        "candidates": len(candidates.cities),
        "no_candidate": len(asked) - len(found),
        "edge": len(found) - len(clear),
        "unscorable": len(clear) - len(told),
        "usable": len(usable),
        "bins": len(set(binned([each.f_pop for each in usable]))),
        "source": table.about["source"],
        "sections_sha256": sections_sha256(),
        "common_words_sha256": common_words_sha256(),
    }
    rows.write_one(out / "counts", {TASK: tally})
    rows.write_one(out / "gazetteer", {"names": names(table.rows)})


def _instances(asked: Iterable[City], told: Mapping[str, tuple[int, City]], pop: Popularity) -> list[CityInstance]:
    pops = {name: _least(pop, name) for name in {*told, *(target.name for _, target in told.values())}}
    return [
        CityInstance(city, *told[city.name], pops[city.name], pops[told[city.name][1].name])
        for city in asked
        if city.name in told
    ]


def _least(pop: Callable[[str], int], name: str) -> int:
    """Return the popularity of the rarest word of a name, since neither source has counts of whole multi-word names."""
    return min(map(pop, _WORDS.findall(folded(name))), default=1)


def _answers(drawn: list[CityInstance], candidates: Candidates, known: PlaceNames) -> list[dict[str, Any]]:
    """Return the gold of each item: the target, its other names, and how close the second most populous place comes."""
    counted = candidates.counts([each.city for each in drawn], [each.d_km for each in drawn])
    answers = []
    for each, count in zip(drawn, counted, strict=True):
        second = candidates.runner_up(each.city, each.d_km, each.target)
        first_population, second_population = each.target.population or 1, second.population or 0 if second else 0
        answers.append(
            {
                "target": each.target.name,
                "accepted": known.accepted(each.target, each.city, each.d_km),
                "target_population": each.target.population,
                "n_candidates": count,
                "runner_up": second.name if second else None,
                "runner_up_ratio": second_population / first_population if second else None,
            }
        )
    return answers
