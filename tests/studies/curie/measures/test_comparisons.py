"""Paired differences: on records that both models have, with intervals but for distances, and on the average."""

from __future__ import annotations

from typing import Any

import pytest
from studies.curie.measures.score_rows import TEN, failed, item, made, score

from harness.errors import InputError
from harness.studies.curie.measures import comparisons


def compared(folder: Any, items: Any, rows: Any, **more: Any) -> dict[str, Any]:
    given = {"models": ["a", "b"], "resamples": 400, **more}
    return made(folder, comparisons.analyse, items, rows, **given)


def test_a_difference_is_over_the_records_that_both_have(tmp_path):
    items = [item("hfe", record) for record in "xyz"]
    rows = [score("hfe", "x", 0.9, "a"), score("hfe", "y", 0.5, "a"), score("hfe", "z", 0.1, "a"),
            score("hfe", "x", 0.4, "b"), score("hfe", "y", 0.5, "b"), failed("hfe", "z", "b")]  # fmt: skip
    [pair] = compared(tmp_path, items, rows)["pairs"]
    found = pair["tasks"]["hfe"]
    assert found["difference"]["value"] == pytest.approx(0.25)
    assert (found["n"], found["n_a_larger"], found["n_b_larger"], found["n_equal"]) == (2, 1, 0, 1)


def test_equal_gains_on_unlike_records_have_an_interval_without_width(tmp_path):
    items = [item("hfe", f"{place:02}") for place in range(12)]
    rows = [score("hfe", f"{place:02}", place / 20 + gain, model)
            for model, gain in (("a", 0.1), ("b", 0.0)) for place in range(12)]  # fmt: skip
    found = compared(tmp_path, items, rows)["pairs"][0]["tasks"]["hfe"]
    assert found["difference"]["interval"] == pytest.approx([0.1, 0.1])  # pairing takes the records' spread away
    assert found["coverage"]["at_records"] == 8


def test_distances_are_compared_without_an_interval(tmp_path):
    items = [item("biogr", record) for record in "xyz"]
    rows = [score("biogr", record, 0.5, model, metrics={"normalized_distance_error": size})
            for model, sizes in (("a", (1, 2, 900)), ("b", (2, 4, 3)))
            for record, size in zip("xyz", sizes, strict=True)]  # fmt: skip
    found = compared(tmp_path, items, rows)["pairs"][0]["distances"]["normalized_distance_error"]
    assert found["difference"]["value"] == -1 and "missing" in found["difference"]["interval"]
    assert (found["n"], found["n_a_larger"], found["n_b_larger"]) == (3, 1, 2)


def test_models_without_a_common_record_have_no_difference(tmp_path):
    items = [item("hfe", "x"), item("hfe", "y")]
    found = compared(tmp_path, items, [score("hfe", "x", 1, "a"), score("hfe", "y", 1, "b")])["pairs"][0]
    assert "missing" in found["tasks"]["hfe"]["difference"]["value"]


def test_the_average_is_compared_over_all_ten_tasks_or_not_at_all(tmp_path):
    items = [item(task, record) for task in TEN for record in "xy"]
    rows = [score(task, record, 0.6 if model == "a" else 0.2, model)
            for task in TEN for record in "xy" for model in ("a", "b")]  # fmt: skip
    found = compared(tmp_path, items, rows)["pairs"][0]["averages"]
    assert found["ten"]["difference"]["value"] == pytest.approx(0.4) and found["nine"]["n_tasks"] == 9
    fewer = compared(tmp_path, items, [row for row in rows if row["item"][:3] != "pdb"])["pairs"][0]["averages"]
    assert "missing" in fewer["ten"]["difference"]["value"]


def test_the_tasks_of_one_domain_are_resampled_together(tmp_path):
    items = [item(task, f"{place:02}") for task in ("dft-s", "dft-p") for place in range(10)]
    rows = [score(task, f"{place:02}", (place if task == "dft-s" else 9 - place) / 9 if model == "a" else 0, model)
            for task in ("dft-s", "dft-p") for place in range(10) for model in ("a", "b")]  # fmt: skip
    found = compared(tmp_path, items, rows, averaged=["dft-s", "dft-p"])["pairs"][0]["averages"]["ten"]["difference"]
    assert found["interval"] == pytest.approx([0.5, 0.5])  # what one task gains by a record, the other loses


def test_each_model_stands_against_each_other_and_each_strategy(tmp_path):
    items, rows = [item("hfe", "x")], [score("hfe", "x", 1, "a")]
    found = compared(tmp_path, items, rows, strategies=["copy"])["pairs"]
    assert [(pair["a"], pair["b"]) for pair in found] == [("a", "b"), ("a", "copy"), ("b", "copy")]


def test_a_pair_of_somebody_unknown_is_refused(tmp_path):
    with pytest.raises(InputError, match="stranger"):
        compared(tmp_path, [item("hfe", "x")], [], pairs=[["a", "stranger"]])


def test_another_seed_gives_other_resamples_and_the_same_seed_the_same(tmp_path):
    items = [item("hfe", f"{place:02}") for place in range(12)]
    rows = [score("hfe", f"{place:02}", place * place / 144 if model == "a" else 0.3, model)
            for model in "ab" for place in range(12)]  # fmt: skip
    one, same, other = (compared(tmp_path, items, rows, seed=seed)["pairs"][0]["tasks"] for seed in (1, 1, 2))
    assert one == same != other
