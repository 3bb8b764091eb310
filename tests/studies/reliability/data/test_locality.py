"""The locality benchmark: sources, filters, targets, draws and difficulty."""

import math
import random
import re
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support_cities import NEAR, named, simplemaps
from wordfreq import word_frequency

from harness import rows
from harness.errors import InputError
from harness.models.providers.baseline import BEHAVIOURS, respond
from harness.scorers.outcome.common_words import common_words_sha256
from harness.scorers.outcome.gazetteer import gazetteer
from harness.scorers.outcome.locality import locality
from harness.studies.prompts import render
from harness.studies.reliability.data import sphere
from harness.studies.reliability.data.locality import binned, distance, make
from harness.studies.reliability.data.sphere import haversine
from harness.studies.reliability.scoring.locality import score

TEMPLATES = Path(sphere.__file__).parents[1] / "prompts" / "locality@1.jsonl"
MADE = ("items", "gold", "budgets", "counts", "gazetteer")


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


def test_filters_drop_repeated_names_first_and_then_names_of_many_words(made):
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


def test_the_true_target_is_sought_among_all_rows_and_may_be_the_target(made):
    items, gold, _, _, _ = made(NEAR)
    for item, row in zip(items, gold, strict=True):
        assert row["gold"]["true_target"] == row["gold"]["target"] != item["input"]["city"]
        assert row["gold"]["true_target_filtered"] is False
        assert row["gold"]["n_candidates"] == 2
        assert row["gold"]["accepted"] == []
    by_city = {item["input"]["city"]: row["gold"] for item, row in zip(items, gold, strict=True)}
    assert by_city["Corvo"]["target"] == "Belmar" and by_city["Corvo"]["target_population"] == 450000


def test_an_item_shows_the_question_and_nothing_that_tells_the_answer(made):
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


def test_one_seed_gives_one_dataset_whatever_the_order_of_rows(made, tmp_path):
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


@pytest.mark.long
def test_with_packaged_cities_a_repeated_wording_is_never_an_answer(tmp_path, monkeypatch):
    """Its larger cities; all of them make the dataset whose digest the demo's lock pins."""
    monkeypatch.setattr("harness.studies.reliability.data.cities.LEAST", 15_000)
    make({"seed": 7, "per_bin": 3}, {}, tmp_path)
    items, gold, _, [counts], [places] = (list(rows.read(tmp_path / name)) for name in MADE)
    counts = counts["locality"]
    assert counts["rows"] > 25_000 and counts["single_words"] > 10_000 and counts["bins"] > 60
    assert counts["kept"] == len(items) <= 3 * counts["bins"]
    assert counts["drawn"] == counts["single_words"] == counts["kept"] + counts["removed"]
    assert len(places["names"]) == len(set(places["names"])) and places["names"] == sorted(places["names"])
    names = gazetteer(places["names"])
    golds = {row["id"]: row["gold"] for row in gold}
    templates = [row["text"] for row in rows.read(TEMPLATES)]
    for item in items:
        given, target = item["input"], golds[item["id"]]["target"]
        assert re.fullmatch("[A-Za-z]+", target) and "GeoNames" in item["meta"]["attribution"]
        assert locality(given["city"], target, target, names).label == "c"
        for text in templates:
            echo = text.replace("{city}", given["city"]).replace("{d}", given["d"])
            assert locality(given["city"], target, echo, names).label == "a"
