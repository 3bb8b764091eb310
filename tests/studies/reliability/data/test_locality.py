"""The locality benchmark, whatever its generation: draws, distances, difficulty; and what the second one drops."""

import math
import random
from functools import partial
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from needs import OnceUsed
from support_cities import MADE, NEAR, made_by, named
from support_draws import drawn

from harness import rows
from harness.answers.names import common_words_sha256
from harness.errors import InputError
from harness.kit.prompts import render
from harness.models.providers.baseline import BEHAVIOURS, respond
from harness.studies.reliability.benchmarks import BENCHMARKS
from harness.studies.reliability.data import sphere
from harness.studies.reliability.data.locality_draw import binned, distance
from harness.studies.reliability.data.sphere import haversine
from harness.studies.reliability.scoring.locality import score

wordfreq = OnceUsed("wordfreq")
TEMPLATES = Path(sphere.__file__).parents[1] / "prompts" / "locality@1.jsonl"
# Farther apart than a city's edge: each settles an item of the others.
APART = [("Arden", 10, 20, 90000), ("Belmar", 10, 20.4, 450000), ("Corvo", 10.4, 20, 1200000)]
ALONE = [("Quorl", 10, 20, 900), ("Quint", 10, 20.5, 800)]


@pytest.fixture
def made(tmp_path):
    return partial(made_by, tmp_path)


def targets(items, gold):
    return {item["input"]["city"]: row["gold"]["target"] for item, row in zip(items, gold, strict=True)}


def reaching(low, high, *names):
    """Give a seed whose first draws for these cities lie between two distances."""
    return next(seed for seed in range(9999) if all(low <= distance(seed, name, 0) <= high for name in names))


def test_the_filters_choose_who_is_asked_and_never_the_target(made):
    cities = [
        *NEAR, ("Twinton", 10, 20.02, 9e6), ("Twinton", 50, 50, 1), ("New Hope", 10, 20, 8e6),
        ("Ch\u014fnji", 10, 20, 7e6, "Chonji"), ("Chonji", 10, 20.001, 5e6), ("Nowhere", 10, 20.03, ""),
    ]  # fmt: skip
    items, gold, _, [counts], [places] = made(cities)
    assert targets(items, gold) == dict.fromkeys(["Arden", "Belmar", "Chonji", "Corvo", "Nowhere"], "Twinton")
    for row in gold:
        assert row["gold"]["runner_up"] == "New Hope" and row["gold"]["runner_up_ratio"] == 8 / 9
        assert row["gold"]["target_population"] == 9_000_000 and row["gold"]["accepted"] == []
    assert places["names"] == ["Arden", "Belmar", "Chonji", "Corvo", "New Hope", "Nowhere", "Twinton"]
    counts = counts["locality"]
    assert (counts["rows"], counts["unique_names"], counts["single_words"], counts["candidates"]) == (9, 7, 5, 8)
    assert (counts["drawn"], counts["kept"], counts["removed"]) == (5, 5, 0)
    assert counts["common_words_sha256"] == common_words_sha256()


def test_of_a_file_no_sections_are_known_and_the_counts_say_so(made):
    counts = made(APART)[3][0]["locality"]
    assert counts["sections"] == 0 and counts["sections_known"] is False


def test_a_target_near_a_larger_place_out_of_reach_is_dropped(made):
    """Quint's one neighbour is Quorl, 55 km off; with Zentrum 22 km beyond Quorl it depends on where Quorl ends."""
    far = reaching(56, 76, "Quint")
    items, gold, _, [before], _ = made(ALONE, seed=far)
    assert targets(items, gold)["Quint"] == "Quorl" and before["locality"]["edge"] == 0
    items, gold, _, [after], _ = made([*ALONE, ("Zentrum", 10, 19.8, 9000)], seed=far)
    assert "Quint" not in targets(items, gold) and after["locality"]["edge"] >= 1


def test_a_target_in_the_asked_city_s_own_shadow_is_dropped(made):
    items, gold, _, [counts], _ = made([("Quorl", 10, 20, 900), ("Quint", 10, 20.1, 800)])
    assert targets(items, gold) == {"Quint": "Quorl"}  # from Quorl it is Quint, eleven kilometres from Quorl
    assert counts["locality"]["edge"] == 1


def test_a_target_that_the_question_tells_is_dropped(made):
    wide = reaching(150, 1000, "Quorl", "Quint", "Most")
    items, gold, _, [counts], _ = made([*ALONE, ("Most", 10.5, 20, 9e6)], seed=wide)
    assert targets(items, gold) == {"Most": "Quorl"} and counts["locality"]["unscorable"] == 2
    items, gold, _, [counts], _ = made([*ALONE, ("Greater Quorl", 10.5, 20, 9e6)], seed=wide)
    assert targets(items, gold) == {"Quint": "Greater Quorl"} and counts["locality"]["unscorable"] == 1


def test_every_asked_city_is_kept_or_dropped_for_one_reason(made):
    cities = [
        *((named(n), 10 + n / 3, 20, 1 + n % 50) for n in range(150)),
        ("Most", 11, 20, 9e6), ("Far", -60, 0, 1), ("Quorl", 40, 80, 9), ("Quint", 40, 80.1, 8),
    ]  # fmt: skip
    counts = made(cities, per_bin=10_000)[3][0]["locality"]
    reasons = [counts[name] for name in ("no_candidate", "edge", "unscorable", "usable")]
    assert sum(reasons) == counts["asked"] == 154 and all(reasons)
    assert counts["kept"] == counts["usable"] and counts["kept"] + counts["removed"] == counts["asked"]


def test_a_tie_goes_to_the_first_name_and_then_to_the_first_row(made):
    cities = [("Quorl", 10, 20, 1), ("Ylm Burg", 10, 20.2, 5), ("Bex Burg", 10, 20.3, 5), ("Bex Burg", 10, 20.4, 5)]
    items, gold, _, _, _ = made(cities, seed=reaching(100, 1000, "Quorl"))
    assert targets(items, gold)["Quorl"] == "Bex Burg"
    [row] = [row["gold"] for item, row in zip(items, gold, strict=True) if item["input"]["city"] == "Quorl"]
    assert (row["runner_up"], row["runner_up_ratio"], row["n_candidates"]) == ("Bex Burg", 1, 3)


def test_the_popularity_of_several_words_is_that_of_the_rarest(made):
    words = "new\t1000\nhope\t10\nquorl\t9\nquint\t9\nsao\t30\npaulo\t20\n"
    gold = made([*ALONE, ("New-Hope", 10, 20.2, 9e6)], words)[1]
    assert {row["raw_difficulty"]["pop_target"] for row in gold} == {11}
    gold = made([*ALONE, ("S\u00e3o Paulo", 10, 20.2, 9e6)], words)[1]
    assert {row["raw_difficulty"]["pop_target"] for row in gold} == {21}


def test_there_is_no_third_generation():
    read = BENCHMARKS["reliability.locality"].maker.optional["rules"]
    assert read("OURS-v1") == "OURS-v1" and read("OURS-v2") == "OURS-v2"
    for given_rules in ("OURS-v3", "", None, 1):
        with pytest.raises(InputError, match="OURS-v2"):
            read(given_rules)


def test_an_item_shows_the_question_and_nothing_that_tells_the_answer(made):
    items, gold, budgets, _, _ = made(APART, words="arden\t99\nbelmar\t9\ncorvo\t999\n")
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
    items, gold, _, _, _ = made(APART, words="word,count\nARDEN,99\nbelmar,9\n")
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
    items, _, _, _, _ = made([("London", 51.5, 0, 9), ("Zyxtown", 52.5, 0, 8)], words=None)
    pops = {item["input"]["city"]: item["meta"]["raw_difficulty"]["pop_city"] for item in items}
    assert pops == {"London": 1 + round(1e9 * wordfreq.word_frequency("london", "en")), "Zyxtown": 1}


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
    assert counts["locality"]["no_candidate"] == counts["locality"]["removed"] == 1
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


def test_one_instance_is_a_dataset_and_none_is_refused(made):
    assert len(made([("Quorl", 10, 20, 5), ("Quint", 10, 20, "")])[0]) == 1
    for cities in ([], [("Quorl", 10, 20, 5)], [("Quorl", 10, 20, ""), ("Quint", 10, 20, "")]):
        with pytest.raises(InputError):
            made(cities)
    with pytest.raises(InputError) as refused:
        made(APART, per_bin=0)
    assert refused.value.where == "per_bin"


@pytest.mark.exhaustive
@pytest.mark.parametrize("behaviour", drawn(["oracle", "refuser", "empty", "echo", "forger"], 1, 5))
def test_the_stand_ins_get_the_labels_they_must_get_in_all_wordings(made, tmp_path, behaviour):
    items = made([(named(n), 10 + n / 100, 20, n + 1) for n in range(10)])[0]
    inputs = {name: tmp_path / name for name in ("items", "gold", "gazetteer")}
    render({}, {**inputs, "templates": TEMPLATES}, tmp_path)
    respond({"behaviour": behaviour, "model": "m", "seeds": [0]}, {**inputs, "prompts": tmp_path / "prompts"}, tmp_path)
    score({}, {**inputs, "responses": tmp_path / "responses"}, tmp_path)
    found = [row["outcome"] for row in rows.read(tmp_path / "scores")]
    assert len(found) == 15 * len(items)
    assert set(found) == {"c" if BEHAVIOURS[behaviour].expected == "all" else "a"}
