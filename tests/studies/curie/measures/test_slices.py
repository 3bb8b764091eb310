"""Slices: means by difficulty, pooled and by domain, and by the length of the right sequence in equal-count bins."""

from __future__ import annotations

import json
from typing import Any

import pytest
from studies.curie.measures.score_rows import PRIMARY, failed, item, made, score

from harness.studies.curie.measures import slices


def gold(record: str, size: int, truth: Any = None) -> dict[str, Any]:
    text = json.dumps({"sequence": "A" * size}) if truth is None else truth
    return {"id": f"pdb-{record}", "gold": {"target": "", "truth": text}}


def sliced(folder: Any, items: Any, rows: Any, golds: Any = (), **more: Any) -> dict[str, Any]:
    return made(folder, slices.analyse, items, rows, tables={"gold": golds}, **more)


def test_pooled_means_count_records_and_macro_means_count_domains(tmp_path):
    items = [item("dft-s", "a", "hard"), item("dft-p", "a", "hard"), item("hfe", "x", "hard"), item("hfe", "y")]
    rows = [score("dft-s", "a", 0.9), score("dft-p", "a", 0.3), score("hfe", "x", 0.3), score("hfe", "y", 1.0)]
    found = sliced(tmp_path, items, rows)["difficulty"]
    assert found["pooled"]["m"]["hard"] == {"value": pytest.approx(0.5), "n": 3}
    assert found["macro"]["m"]["hard"] == {"value": pytest.approx((0.6 + 0.3) / 2), "n_domains": 2}
    assert found["pooled"]["m"]["easy"] == {"value": 1.0, "n": 1}
    assert found["pooled"]["m"]["medium"]["value"] == {"missing": "no record has a value"}


def test_tasks_outside_the_average_have_no_part_in_the_pooled_slices(tmp_path):
    items = [item("mpv", "a"), item("mpv-specific", "a")]
    primary = {**PRIMARY, "mpv-specific": ["llmsim.rule", "f1"]}
    rows = [score("mpv", "a", 0.4), score("mpv-specific", "a", 0.8, scorer="llmsim.rule")]
    found = sliced(tmp_path, items, rows, primary=primary)["difficulty"]
    assert found["pooled"]["m"]["easy"]["value"] == pytest.approx(0.4)
    assert found["tasks"]["mpv-specific"]["m"]["easy"]["value"] == pytest.approx(0.8)


def test_a_record_without_a_level_is_counted_and_in_no_slice(tmp_path):
    found = sliced(tmp_path, [item("hfe", "a", ""), item("hfe", "b")], [score("hfe", "a", 1), score("hfe", "b", 0)])
    assert found["difficulty"]["records"]["hfe"] == {"easy": 1, "medium": 0, "hard": 0, "unlabelled": 1}
    assert found["difficulty"]["pooled"]["m"]["easy"] == {"value": 0.0, "n": 1}


def lengthy(count: int) -> tuple[Any, Any, Any]:
    names = [f"{place:02}" for place in range(count)]
    return (
        [item("pdb", name) for name in names],
        [score("pdb", name, place / count) for place, name in enumerate(names)],
        [gold(name, 10 + place) for place, name in enumerate(names)],
    )


def test_forty_records_lie_two_by_two_in_twenty_bins_by_length(tmp_path):
    found = sliced(tmp_path, *lengthy(40))["length"]
    assert [each["n_records"] for each in found["bins"]] == [2] * 20
    assert [(each["low"], each["high"]) for each in found["bins"]][:2] == [(10, 11), (12, 13)]
    assert found["bins"][1]["value"] == pytest.approx((2 / 40 + 3 / 40) / 2)


def test_a_bin_pools_the_models_and_leaves_strategies_beside(tmp_path):
    items, rows, golds = lengthy(1)
    rows = [{**rows[0], "model": name, "value": value} for name, value in (("m", 0.1), ("n", 0.5), ("copy", 9.0))]
    found = sliced(tmp_path, items, rows, golds, models=["m", "n"], strategies=["copy"])["length"]["bins"][0]
    assert (found["value"], found["n"], found["median"]) == (pytest.approx(0.3), 2, pytest.approx(0.3))
    assert found["models"]["copy"]["value"] == 9.0 and found["whiskers"] == [0.1, 0.5]


def test_values_far_from_the_box_are_outliers_beyond_the_whiskers(tmp_path):
    items, _, golds = lengthy(1)
    models = [f"m{place}" for place in range(6)]
    values = [0.1, 0.11, 0.12, 0.13, 0.14, 0.9]
    rows = [score("pdb", "00", value, model) for model, value in zip(models, values, strict=True)]
    found = sliced(tmp_path, items, rows, golds, models=models)["length"]["bins"][0]
    assert found["whiskers"] == [0.1, 0.14] and found["outliers"] == 1


def test_a_gold_without_a_sequence_is_in_no_bin_and_counted(tmp_path):
    items, rows, golds = lengthy(2)
    found = sliced(tmp_path, items, rows, [golds[0], gold("01", 0, "[" * 10000)])["length"]
    assert (len(found["bins"]), found["without_length"]) == (1, 1)


def test_without_pdb_items_there_are_no_lengths(tmp_path):
    assert "missing" in sliced(tmp_path, [item("hfe", "a")], [score("hfe", "a", 1)])["length"]


def test_an_error_is_in_no_slice(tmp_path):
    found = sliced(tmp_path, [item("hfe", "a"), item("hfe", "b")], [score("hfe", "a", 1), failed("hfe", "b")])
    assert found["difficulty"]["pooled"]["m"]["easy"] == {"value": 1.0, "n": 1}
