"""The maker of the locality benchmark: which city near another is the most populous (reliability 1.3, 2).

It knows cities, distances and difficulties; it must never know a prompt, a model or how a response is scored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import rows, seeds
from harness.errors import InputError
from harness.rowtypes import Gold, Item
from harness.scorers.outcome.common_words import STOP_WORDS, common_words_sha256
from harness.studies.reliability.data.budget import token_budget
from harness.studies.reliability.data.cities import City, CityTable, load, names, surviving, unique_names
from harness.studies.reliability.data.difficulty import calibrated
from harness.studies.reliability.data.ids import ids
from harness.studies.reliability.data.nearby import Candidates
from harness.studies.reliability.data.popularity import f_pop, popularity

TASK = "locality"
GENERATOR_VERSION = "1"
FARTHEST = 1000  # km; distances are drawn from 1 to this
REDRAWS = 20
BINS = 100


@dataclass(frozen=True, slots=True)
class CityInstance:
    """A locality item in the making: a city that passed the filters, the distance drawn for it, and its target."""

    city: City
    d_km: int
    target: City
    pop_city: int
    pop_target: int

    @property
    def f_pop(self) -> float:
        """Give the raw difficulty f_pop, from the popularity of both cities."""
        return f_pop(self.pop_city, self.pop_target)


def distance(seed: int, name: str, redraw: int) -> int:
    """Draw the distance in km, 1 to FARTHEST, of a city's `redraw`-th try, from seed and name alone."""
    return 1 + seeds.below(seeds.stream(seeds.derive(seed, "locality.distance", name, sample=redraw)), FARTHEST)


def instances(seed: int, cities: Sequence[City], candidates: Candidates) -> dict[str, tuple[int, City]]:
    """Map each filtered city's name to a drawn distance in km and its target; left out if 21 draws find none."""
    found: dict[str, tuple[int, City]] = {}
    left = list(cities)
    for redraw in range(REDRAWS + 1):
        drawn = [distance(seed, city.name, redraw) for city in left]
        targets = candidates.targets(left, drawn)
        found |= {c.name: (d, t) for c, d, t in zip(left, drawn, targets, strict=True) if t}
        left = [city for city, target in zip(left, targets, strict=True) if not target]
    return found


def binned(difficulties: Sequence[float]) -> list[int]:
    """Give the index of each difficulty's bin, of 100 of equal width between the least and the greatest."""
    low, high = min(difficulties, default=0.0), max(difficulties, default=0.0)
    if low == high:
        return [0] * len(difficulties)
    return [min(BINS - 1, int(BINS * (value - low) / (high - low))) for value in difficulties]


def draw(seed: int, usable: Sequence[CityInstance], per_bin: int) -> list[CityInstance]:
    """Draw up to `per_bin` instances from each bin of difficulty, and shuffle all that were drawn."""
    members: dict[int, list[CityInstance]] = {}
    for instance, place in zip(usable, binned([each.f_pop for each in usable]), strict=True):
        members.setdefault(place, []).append(instance)
    drawn = [
        instance
        for place in sorted(members)
        for instance in seeds.sample(
            seeds.stream(seeds.derive(seed, "locality.bin", str(place))), members[place], per_bin
        )
    ]
    return sorted(drawn, key=lambda each: seeds.derive(seed, "locality.order", each.city.name))


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the dataset: items (without answers), gold, budgets, counts, and the gazetteer of all cities' names.

    Raises InputError for `per_bin` below one, or where no city has a target.
    """
    seed, per_bin = params["seed"], params["per_bin"]
    if per_bin < 1:
        raise InputError("no instances make no dataset", where="per_bin", next="ask for at least one a bin")
    places = load(inputs)
    kept = sorted(surviving(places.rows), key=lambda city: city.name)
    candidates = Candidates(kept)
    found = instances(seed, kept, candidates)
    pop = popularity(inputs)
    pops = {name: pop(name) for name in {*found, *(target.name for _, target in found.values())}}
    made = [
        CityInstance(city, *found[city.name], pops[city.name], pops[found[city.name][1].name])
        for city in kept
        if city.name in found
    ]
    # OURS: no instance may turn on a word that prompts and refusals are made of, or whoever repeats the prompt, or
    # says that they do not know, is right (a town is called Of, another Most); the counts say how many.
    usable = [each for each in made if each.target.name.lower() not in STOP_WORDS]
    drawn = draw(seed, usable, per_bin)
    if not drawn:
        raise InputError("no city of the source has a target", where="cities", next="give a source with more cities")
    _write(drawn, places, candidates, params, out)
    tally = {
        "drawn": len(kept), "kept": len(drawn), "removed": len(kept) - len(drawn), "rows": len(places.rows),
        "unique_names": len(unique_names(places.rows)), "single_words": len(kept),
        "known_population": len(candidates.cities), "without_target": len(kept) - len(made),
        "said_in_prompts": len(made) - len(usable), "bins": len(set(binned([each.f_pop for each in usable]))),
        "source": places.about["source"], "common_words_sha256": common_words_sha256(),
    }  # fmt: skip
    rows.write_one(out / "counts", {TASK: tally})
    rows.write_one(out / "gazetteer", {"names": names(places.rows)})


def _write(
    drawn: Sequence[CityInstance], places: CityTable, candidates: Candidates, params: Mapping[str, Any], out: Path
) -> None:
    numbered = ids(TASK, len(drawn))
    scale = calibrated([each.f_pop for each in drawn], params.get("calibration"))
    meta = {
        **places.about, "difficulty_function": "f_pop", **scale.meta(), "seed": params["seed"],
        "generator_version": GENERATOR_VERSION,
    }  # fmt: skip
    rows.write(out / "items", (_item(name, each, meta) for name, each in zip(numbered, drawn, strict=True)))
    origins, distances = [each.city for each in drawn], [each.d_km for each in drawn]
    counts = candidates.counts(origins, distances)
    real = Candidates(places.rows).targets(origins, distances)
    rows.write(out / "gold", (_gold(*each) for each in zip(numbered, drawn, scale.values, counts, real, strict=True)))
    budget = token_budget(TASK)
    rows.write(out / "budgets", ({"id": name, "max_tokens": budget} for name in numbered))


def _item(name: str, each: CityInstance, meta: Mapping[str, Any]) -> Item:
    city, d_km = each.city, each.d_km
    shown = {"city": city.name, "country": city.country, "lat": city.lat, "lng": city.lng}
    return {
        "id": name,
        "task": TASK,
        "input": {**shown, "d": str(d_km), "d_km": d_km},
        "difficulty": None,
        "meta": {**meta, "raw_difficulty": {"pop_city": each.pop_city}},
    }


def _gold(name: str, each: CityInstance, difficulty: float, count: int, real: City | None) -> Gold:
    """Make a gold row: the target, and `true_target`, the most populous city near among all unfiltered rows."""
    assert real  # every target is a row too
    gold: dict[str, Any] = {
        "target": each.target.name,
        "accepted": [],
        "target_population": each.target.population,
        "n_candidates": count,
        "true_target": real.name,
        "true_target_filtered": real != each.target,
    }
    raw = {"f_pop": each.f_pop, "pop_city": each.pop_city, "pop_target": each.pop_target}
    return {"id": name, "gold": gold, "difficulty": difficulty, "raw_difficulty": raw}
