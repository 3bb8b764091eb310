"""Shared code of both generations of the locality maker: distances, bins, draws, and the rows they write.

Rule: docs/reliability-rules.md#locality. Independent of how the answer is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import rows, seeds
from harness.errors import InputError
from harness.rowtypes import Gold, Item
from harness.studies.reliability.data.budget import token_budget
from harness.studies.reliability.data.cities import City
from harness.studies.reliability.data.difficulty import calibrated
from harness.studies.reliability.data.ids import ids
from harness.studies.reliability.data.popularity import f_pop

TASK = "locality"
FIRST, NEWEST = "OURS-v1", "OURS-v2"
FARTHEST = 1000  # km; the largest distance that is drawn, from 1
REDRAWS = 20
BINS = 100
Targets = Callable[[Sequence[City], Sequence[float]], Sequence[City | None]]


@dataclass(frozen=True, slots=True)
class CityInstance:
    """A locality question in preparation: a city, the distance drawn for it, and its target, the largest within."""

    city: City
    d_km: int
    target: City
    pop_city: int
    pop_target: int

    @property
    def f_pop(self) -> float:
        """The raw difficulty of the question, from how often both city names occur in English text."""
        return f_pop(self.pop_city, self.pop_target)


def rules(given: Any) -> str:
    """Check which version of the drawing rules a manifest names in `rules`, and return it; else InputError."""
    if given not in (FIRST, NEWEST):
        raise InputError(f"there are no rules {given!r} for locality", next=f"use {NEWEST} or {FIRST}, or leave it out")
    return str(given)


def distance(seed: int, name: str, redraw: int) -> int:
    """Draw a city's distance in km, 1 to FARTHEST, for its `redraw`-th try; depends on seed and name only."""
    return 1 + seeds.draw_below(
        seeds.random_stream(seeds.derive_seed(seed, "locality.distance", name, sample=redraw)), FARTHEST
    )


def instances(seed: int, cities: Sequence[City], targets: Targets) -> dict[str, tuple[int, City]]:
    """Return for each city a distance in km and a target city; cities without a target after 21 draws are left out."""
    found: dict[str, tuple[int, City]] = {}
    left = list(cities)
    for redraw in range(REDRAWS + 1):
        drawn = [distance(seed, city.name, redraw) for city in left]
        near = targets(left, drawn)
        found |= {c.name: (d, t) for c, d, t in zip(left, drawn, near, strict=True) if t}
        left = [city for city, target in zip(left, near, strict=True) if not target]
    return found


def binned(difficulties: Sequence[float]) -> list[int]:
    """Return for each difficulty the index of its bin, out of 100 bins of equal width from smallest to largest."""
    low, high = min(difficulties, default=0.0), max(difficulties, default=0.0)
    if low == high:
        return [0] * len(difficulties)
    return [min(BINS - 1, int(BINS * (value - low) / (high - low))) for value in difficulties]


def draw(seed: int, usable: Sequence[CityInstance], per_bin: int) -> list[CityInstance]:
    """Draw up to `per_bin` locality questions from each bin of difficulty, and shuffle all that are drawn.

    Raises InputError if there is nothing to draw from.
    """
    if not usable:
        raise InputError("no city of the source has a target", where="cities", next="give a source with more cities")
    members: dict[int, list[CityInstance]] = {}
    for instance, place in zip(usable, binned([each.f_pop for each in usable]), strict=True):
        members.setdefault(place, []).append(instance)
    drawn = [
        instance
        for place in sorted(members)
        for instance in seeds.draw_sample(
            seeds.random_stream(seeds.derive_seed(seed, "locality.bin", str(place))), members[place], per_bin
        )
    ]
    return sorted(drawn, key=lambda each: seeds.derive_seed(seed, "locality.order", each.city.name))


def write(
    drawn: Sequence[CityInstance],
    answers: Sequence[Mapping[str, Any]],
    about: Mapping[str, str],
    params: Mapping[str, Any],
    out: Path,
) -> None:
    """Write items, gold and token budgets of the drawn locality questions.

    `answers` holds the gold of each instance; `about` holds fields of every item: its source, and the generator's
    version.
    """
    numbered = ids(TASK, len(drawn))
    scale = calibrated([each.f_pop for each in drawn], params.get("calibration"))
    meta = {**about, "difficulty_function": "f_pop", **scale.meta(), "seed": params["seed"]}
    rows.write(out / "items", (_item(name, each, meta) for name, each in zip(numbered, drawn, strict=True)))
    rows.write(out / "gold", (_gold(*each) for each in zip(numbered, drawn, scale.values, answers, strict=True)))
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


def _gold(name: str, each: CityInstance, difficulty: float, answer: Mapping[str, Any]) -> Gold:
    raw = {"f_pop": each.f_pop, "pop_city": each.pop_city, "pop_target": each.pop_target}
    return {"id": name, "gold": dict(answer), "difficulty": difficulty, "raw_difficulty": raw}
