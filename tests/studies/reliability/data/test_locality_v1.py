"""The first generation of the locality benchmark, byte for byte what it was."""

import re
from functools import partial
from pathlib import Path

import pytest
from support_cities import MADE, NEAR, made_by, named, simplemaps

from harness import rows
from harness.answers.gazetteer import gazetteer
from harness.answers.locality import locality
from harness.answers.names import common_words_sha256
from harness.digest import sha256_file
from harness.studies.reliability.data import sphere
from harness.studies.reliability.data.locality import make

TEMPLATES = Path(sphere.__file__).parents[1] / "prompts" / "locality@1.jsonl"
V1 = {"rules": "OURS-v1"}
# What the maker wrote before there was a second generation: of the cities of the first test, and of the packaged ones.
BY_HAND = {
    "items": "5eddce0b4c8850e5528a360bb45370eaf10cff9c97dc0bc8a3f7c8f7ae0bbcec",
    "gold": "70e8a9914e41cb200fb821871762edff17e8058fa2b8fac16fcdb08bd60d0553",
    "budgets": "5d4da3a710726ed843354dadf09b18a48e5b332698dfc973c987760adfade215",
    "counts": "2303bd8219eda90e23f2229087a37aabb5b314d41c45adc29ea563cc78e84b2b",
    "gazetteer": "e6657786886da2a11625ba3e37d7d3167e77f4ef8d43fb1016d98673725e3d1a",
}
PACKAGED = {
    "items": "af3fbafd86d15912fbdbcff633dd83d7c7b223d07aa3381c69b025e2dce97c6e",
    "gold": "07028723a57780b7e093d79640cccb704ee5630e11c094ea8e8e88bd5560532e",
    "budgets": "756f84d46c8465eb43b27bc7e02a636d62085ed7d878e7b99c728db6b2932e5d",
    "counts": "652dbd6d86805ce8d1ea0a1940f878c28dd1b2b57be4e5a3d2c5246156076505",
    "gazetteer": "d018d8b72dc2e9b97f8ff5b970c45c5b85c8ddc86ef933870d1fa3b6d0bb7652",
}


@pytest.fixture
def made(tmp_path):
    return partial(made_by, tmp_path, **V1)


def test_it_writes_the_bytes_that_it_always_wrote(tmp_path):
    cities = [
        *NEAR, ("Twinton", 10, 20.02, 9e6), ("Twinton", 50, 50, 1), ("New Hope", 10, 20, 8e6),
        ("Ch\u014fnji", 10, 20, 7e6, "Chonji"), ("Most", 10.02, 20, 95e6), ("Nowhere", 10, 20.03, ""),
        *((named(n), 10 + n / 50, 20 + n % 9, n % 7 * 1000 + n % 3) for n in range(300)),
    ]  # fmt: skip
    (tmp_path / "words").write_text("".join(f"{named(n).lower()}\t{n * n}\n" for n in range(300)))
    inputs = {"cities": simplemaps(tmp_path / "cities", cities), "words": tmp_path / "words"}
    make({"seed": 5, "per_bin": 3, **V1}, inputs, tmp_path)
    assert {name: sha256_file(tmp_path / name)[0] for name in MADE} == BY_HAND


@pytest.mark.long
def test_of_the_packaged_cities_it_makes_the_dataset_of_old_runs(tmp_path):
    make({"seed": 7, "per_bin": 1, **V1}, {}, tmp_path)
    assert {name: sha256_file(tmp_path / name)[0] for name in MADE} == PACKAGED


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


def test_no_instance_turns_on_a_word_that_prompts_are_made_of(made):
    items, _, _, [counts], _ = made([("Most", 10, 20, 9e6), ("Quorl", 10, 20.01, 5), ("Quint", 10, 20.02, 4)])
    assert [item["input"]["city"] for item in items] == ["Most"]
    assert counts["locality"]["said_in_prompts"] == 2
    assert counts["locality"]["common_words_sha256"] == common_words_sha256()


@pytest.mark.long
def test_with_packaged_cities_a_repeated_wording_is_never_an_answer(tmp_path, monkeypatch):
    """Its larger cities; all of them make a dataset whose digests stand above."""
    monkeypatch.setattr("harness.studies.reliability.data.cities.LEAST", 15_000)
    make({"seed": 7, "per_bin": 3, **V1}, {}, tmp_path)
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
