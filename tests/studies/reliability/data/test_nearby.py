"""The most populous city within a distance: the fast way, the plain way, and the tool."""

import math
import random
import time

import pytest
from support_cases import each_of
from support_cities import NEAR, named
from support_draws import drawn
from support_pace import soon

from harness.errors import InputError
from harness.studies.reliability.data import sphere
from harness.studies.reliability.data.cities import City
from harness.studies.reliability.data.nearby import Candidates, within
from harness.studies.reliability.data.sphere import haversine
from harness.studies.reliability.standalone.locality import ANALYSES


def scattered(count, seed=1):
    """Give cities all over a band of the globe, across the antimeridian, with populations that repeat."""
    draw = random.Random(seed)
    return [
        City(named(n), "", draw.uniform(-70, 70), draw.choice((-180, -179.9, 0, 1, 2, 179.9)) + draw.uniform(-1, 1), "",
             draw.choice((None, 10, 20, 20, 300, 4000)))
        for n in range(count)
    ]  # fmt: skip


def slow_targets(cities, origin, d_km):
    near = within(cities, origin, d_km)
    return near[0][0] if near else None, len(near)


@pytest.mark.exhaustive
@pytest.mark.parametrize("block", drawn([1, 500, 2_000_000], 1, 3))
def test_the_fast_way_finds_what_the_haversine_finds_one_pair_at_a_time(monkeypatch, block):
    monkeypatch.setattr(sphere, "BLOCK", block)
    cities = scattered(300)
    draw = random.Random(7)
    distances = [draw.choice((1, 5, 50, 111, 300, 1000)) for _ in cities]
    candidates = Candidates(cities)
    slow = [slow_targets(cities, city, d) for city, d in zip(cities, distances, strict=True)]
    assert candidates.targets(cities, distances) == [target for target, _ in slow]
    assert candidates.counts(cities, distances) == [count for _, count in slow]
    assert 20 < sum(target is None for target, _ in slow) < 280


def test_the_radius_is_inclusive_to_the_last_bit():
    cities = scattered(60, seed=2)
    candidates = Candidates(cities)
    for origin in cities[:20]:
        for other in candidates.cities[:15]:
            exact = haversine((origin.lat, origin.lng), (other.lat, other.lng))
            if origin is not other and exact < 2000:
                for d_km in (exact, math.nextafter(exact, 0)):
                    assert candidates.targets([origin], [d_km]) == [slow_targets(cities, origin, d_km)[0]]
                    assert candidates.counts([origin], [d_km]) == [slow_targets(cities, origin, d_km)[1]]


def test_ties_go_to_the_first_name_and_cities_in_one_place_are_distinct():
    here = [City(name, name, 1, 1, "", 5) for name in ("Bree", "Alda", "Cole")]
    assert [city.name for city in Candidates(here).targets(here, [1, 1, 1])] == ["Alda", "Bree", "Alda"]
    assert Candidates([]).targets(here, [1, 1, 1]) == [None] * 3
    assert Candidates(here).targets([], []) == []


def test_a_circle_reaches_across_the_antimeridian_and_over_a_pole():
    assert haversine((-3, 170), (-3, -179.5)) == pytest.approx(1165.943774, abs=1e-6)
    assert haversine((89, 0), (89, 180)) == pytest.approx(2 * math.pi * 6371.0088 / 180, abs=1e-6)
    far = [City("East", "", 10, 179.9, "", 5), City("West", "", 10, -179.9, "", 6)]
    assert [city.name for city in Candidates(far).targets(far, [30, 30])] == ["West", "East"]


@pytest.mark.long
def test_targets_of_eighteen_thousand_cities_take_seconds():
    draw = random.Random(5)
    cities = [City(named(n), "", draw.uniform(-60, 70), draw.uniform(-180, 180), "", n + 1) for n in range(10_000)]
    cities += [City(f"X{named(n)}", "", draw.gauss(45, 5), draw.gauss(10, 8), "", n + 1) for n in range(8_000)]
    started = time.process_time()
    found = Candidates(cities).targets(cities, [draw.randint(1, 1000) for _ in cities])
    assert soon(time.process_time() - started, 30)
    assert sum(each is not None for each in found) > 16_000


TABLE = [{"city": name, "lat": lat, "lng": lng, "population": population} for name, lat, lng, population in NEAR]


def test_the_tool_answers_one_case_or_many():
    run = ANALYSES["reliability.locality_targets"].run
    one = run({"cities": TABLE, "city": "Corvo", "d_km": 1.2})
    assert one["target"] == "Arden" and one["kept_after_filters"] == ["Arden", "Belmar", "Corvo"]
    assert one["within"] == [["Arden", pytest.approx(1.111951, abs=1e-6)]]
    many = run({"cities": TABLE, "cases": [{"city": "Corvo", "d_km": 1}, {"city": "Corvo", "d_km": 1.2}]})
    assert [case["target"] for case in many["cases"]] == [None, "Arden"]
    assert many["cases"][1]["within"] == one["within"]


@each_of(
    ("change", "where"),
    [({"cities": None}, "cities"), ({"cities": [3]}, "cities, row 1"), ({"city": "Twinton"}, "city"),
     ({"city": 3}, "city"), ({"d_km": "5"}, "d_km"), ({"d_km": -1}, "d_km"), ({"d_km": True}, "d_km"),
     ({"cases": 3}, "cases"), ({"cases": [3]}, "cases[0]"), ({"cases": [{"city": "Arden"}]}, "cases[0]/d_km"),
     ({"cities": [{"city": "Arden", "lng": 1}]}, "row 1, column lat"),
     ({"cities": [{**TABLE[0], "lat": "10"}]}, "row 1, column lat"),
     ({"cities": [{**TABLE[0], "lng": True}]}, "row 1, column lng")],
)  # fmt: skip
def test_the_tool_names_the_field_that_is_wrong(change, where):
    with pytest.raises(InputError) as refused:
        ANALYSES["reliability.locality_targets"].run({"cities": TABLE, "city": "Arden", "d_km": 5, **change})
    assert refused.value.where.endswith(where)
