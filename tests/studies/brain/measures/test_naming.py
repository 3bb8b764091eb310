"""A model's name tells its bands, its family and its language model."""

import pytest
from support_cases import each_of

from harness.studies.brain.measures.naming import families, is_language, member, sole_language
from harness.studies.brain.measures.starring import stars


@pytest.mark.parametrize(
    ("model", "family", "place"),
    [("OASM@2.2", "OASM", 2.2), ("mini@10", "mini", 10), ("OASM@2.2!plain", "OASM", 2.2), ("RAMP@5", "RAMP", 5)],
)
def test_a_model_with_one_parameter_is_of_a_family(model, family, place):
    assert member(model) == (family, place, model)


@each_of(
    "model",
    ["SP", "SP+OASM@2.2", "OASM@2.2&SP", "OASM@", "OASM@x", "OASM@1e3", "OASM@2.", "x@1@2", "@3",
     "x@\N{SUPERSCRIPT TWO}", "OASM@-1", "OASM@nan"],
)  # fmt: skip
def test_any_other_model_is_of_none(model):
    assert member(model) is None


def test_a_family_is_in_the_order_of_its_parameter():
    found = families(["OASM@10.0", "mini@3", "OASM@2.2", "SP", "mini@0"])
    assert {name: [one.place for one in own] for name, own in found.items()} == {"OASM": [2.2, 10], "mini": [0, 3]}


def test_ways_to_fit_are_families_apart_only_where_there_are_several():
    assert list(families(["OASM@1.0!plain", "OASM@2.0!plain"])) == ["OASM"]
    assert list(families(["OASM@1.0!plain", "OASM@1.0", "OASM@1.0!ols"])) == ["OASM!plain", "OASM", "OASM!ols"]


def test_bands_of_language_models_are_arrays_of_that_name_and_layers():
    assert [is_language(band, ["mini"]) for band in ("LLM", "LLMU", "mini@3", "WORD", "maxi@3")] == [1, 1, 1, 0, 0]
    assert sole_language(["SP", "mini@3"], ["mini"]) == "mini@3"
    assert sole_language(["LLM", "mini@3"], ["mini"]) == ""


def test_the_lexical_row_takes_subsets_with_the_space_added_last():
    spaces = ["SP", "SL", "WORD", "SP+SL", "SP+WORD", "SL+WORD", "SP+SL+WORD"]
    found = {one.name: one for one in stars(spaces)}
    assert set(found["SP+SL+WORD* (with WORD)"].members) == {"WORD", "SP+WORD", "SL+WORD", "SP+SL+WORD"}
    assert len(found["SP+SL+WORD*"].members) == found["SP+SL+WORD*"].of == 7


def test_a_star_of_the_language_model_stands_beside_that_without_it():
    (found,) = stars(["OASM@2.2", "LLM", "OASM@2.2+LLM"])
    assert (found.name, found.members, found.base) == ("OASM@2.2+LLM*", ("LLM", "OASM@2.2+LLM"), ("OASM@2.2",))


def test_two_language_models_in_one_model_make_no_star():
    assert [one.name for one in stars(["LLM", "mini@1", "LLM+mini@1"], ["mini"])] == []
