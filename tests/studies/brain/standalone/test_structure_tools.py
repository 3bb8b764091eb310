"""Rows, folds and features that are asked by name, over the public verb: names are parsed, values are not looked at."""

from __future__ import annotations

import numpy as np
import pytest
from golden.agree import Within, agree
from support_cases import each_of

from harness.errors import InputError
from harness.studies.brain.standalone.structure import ANALYSES
from harness.studies.brain.structure.folds import outer_folds
from harness.studies.brain.structure.others import blank, fedorenko
from harness.studies.brain.structure.pereira import pereira


def ask(analysis, given):
    return ANALYSES[f"brain.{analysis}"].run(given)


def test_features_of_any_size_and_sigma_are_given_by_name():
    names = ["block_n5_sigma2.7", "full_sigma0.9", "wordpos_sigma2", "blank_ramp_n6_L3"]
    found = ask("features_oasm_wp", {**dict.fromkeys(names), "full_block_lengths": [2, 5]})
    assert {name: found[name].shape for name in names} == dict(
        zip(names, [(5, 5), (7, 7), (8, 9), (6, 2)], strict=True)
    )
    assert np.abs(found["full_sigma0.9"][:2, :2].sum(axis=1) - 1).max() < 1e-12
    assert not found["full_sigma0.9"][:2, 2:].any()


def test_a_value_that_stands_under_an_asked_name_is_not_looked_at():
    given = {"block_n3_sigma1.0": np.full((3, 3), np.nan), "full_block_lengths": np.array([3])}
    found = ask("features_oasm_wp", given)
    assert [*found] == ["block_n3_sigma1.0"] and np.isfinite(found["block_n3_sigma1.0"]).all()


@each_of(
    ("given", "told"),
    [
        ({}, "nothing is asked by a known name"),
        ({"block_sigma": None}, "nothing is asked by a known name"),
        ({"full_sigma1.0": None}, "needs the lengths of its blocks"),
        ({"full_sigma1.0": None, "full_block_lengths": [3, 0]}, "needs the lengths of its blocks"),
        ({"full_sigma1.0": None, "full_block_lengths": [9999, 1]}, "the size 10000 is out of bounds"),
        ({"block_n99999_sigma1.0": None}, "the size 99999 is out of bounds"),
        ({"blank_ramp_n0_L5": None}, "the size 0 is out of bounds"),
        ({"blank_ramp_n9_L1": None}, "a ramp has the length 1"),
        ({"full_sigma1.0": None, "full_block_lengths": [[3]]}, "`full_block_lengths` is not a list of whole numbers"),
    ],
)
def test_features_that_cannot_be_given_are_refused_by_name(given, told):
    with pytest.raises(InputError, match=told):
        ask("features_oasm_wp", given)


@pytest.mark.parametrize(
    ("name", "layout", "asked"),
    [
        ("pereira_243_shuffled_seed9", pereira("243"), ("shuffled", 9)),
        ("pereira_384_contiguous", pereira("384"), ("contiguous",)),
        ("fedorenko_shuffled_seed0_inner32", fedorenko(), ("shuffled", 0, 32)),
        ("fedorenko_shuffled_seed42", fedorenko(), ("shuffled", 42, 48)),
        ("blank_shuffled_seed7", blank(), ("shuffled", 7)),
    ],
)
def test_a_set_of_folds_is_the_one_that_its_name_says(name, layout, asked):
    found, expected = ask("folds", {name: None})[name], outer_folds(layout, *asked)
    assert found["n"] == len(layout.ids)
    assert [fold["test"] for fold in found["folds"]] == [[*fold.test] for fold in expected]
    inner = "inner_val_sizes" if layout.dataset == "blank" else "inner_val"
    sizes = [[len(rows) if inner == "inner_val" else rows for rows in fold[inner]] for fold in found["folds"]]
    assert sizes == [[*map(len, fold.inner)] for fold in expected]


def test_a_set_has_the_fields_that_are_usual_for_its_dataset():
    names = ["pereira_384_contiguous", "pereira_243_contiguous", "fedorenko_contiguous_inner32", "blank_contiguous"]
    found = ask("folds", dict.fromkeys(names))
    assert [sorted(found[name].keys() - {"folds"}) for name in names] == [
        ["first_row", "n"], ["first_row", "n"], ["inner_block", "n"], ["n"],
    ]  # fmt: skip
    assert [found[name].get("first_row") for name in names] == [243, 0, None, None]
    assert found[names[2]]["inner_block"] == 32
    assert found[names[3]]["folds"][1]["inner_story"] == sorted({*blank().labels} - {"Boar"})


def test_a_set_has_the_fields_that_its_first_fold_names():
    shape = {"folds": [{"story": "?", "train": "?", "inner_val": "?"}]}
    found = ask("folds", {"blank_contiguous": shape})["blank_contiguous"]
    assert [*found] == ["folds"] and {*found["folds"][0]} == {"story", "train", "inner_val"}
    assert found["folds"][0]["train"] == [*range(143, 1317)]


@each_of("shape", [3, "text", [], {"folds": 3}, {"folds": []}, {"folds": [3]}])
def test_a_value_of_any_kind_asks_for_a_set(shape):
    assert ask("folds", {"blank_contiguous": shape})["blank_contiguous"]["folds"][0]["test"] == [*range(143)]


@each_of(
    ("name", "told"),
    [
        ("pereira_500_contiguous", "nothing is asked by a known name"),
        ("pereira_contiguous", "nothing is asked by a known name"),
        ("fedorenko_384_contiguous", "nothing is asked by a known name"),
        ("blank_shuffled", "nothing is asked by a known name"),
        ("blank_contiguous_inner48", "inner folds have a size in Fedorenko alone"),
        ("fedorenko_contiguous_inner0", "an inner fold has 0 rows"),
        ("fedorenko_contiguous_inner400", "make 1 inner folds of 400"),
        ("blank_shuffled_seed9999999999", "the seed is 9999999999"),
    ],
)
def test_a_set_that_there_is_not_is_refused(name, told):
    with pytest.raises(InputError, match=told):
        ask("folds", {name: None})


def test_the_labels_of_all_rows_are_given():
    found = ask("pereira_row_labels", {})
    assert agree([*pereira().labels], found["row_labels"], Within(0.0))


def test_each_tool_says_what_it_takes_and_gives():
    for tool in ANALYSES.values():
        both = tool.schema()
        assert both["takes"]["type"] == both["gives"]["type"] == "object" and tool.about.endswith(".")
