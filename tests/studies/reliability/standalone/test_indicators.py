"""The indicators' analyses as a caller meets them: fields in, fields out, and what a wrong field is told."""

import pytest
from support_cases import each_of

from harness.errors import InputError
from harness.studies.reliability.standalone.indicators import ANALYSES

LABELLED = {"ids": ["b", "a", "c"], "difficulty": [20, 10, 90.5], "labels": ["ccai", ["c", "c"], ""]}


def run(name, **given):
    return ANALYSES[f"reliability.{name}"].run(given)


def test_bins_show_members_sizes_and_means():
    found = run("bins", ids=["i9", "i10", "x"], difficulty=[5, 5, 1], n_bins=2)
    assert found == {"bin_of_item": [1, 0, 0], "bin_sizes": [2, 1], "bin_mean_difficulty": [3, 5]}
    assert run("bins", ids=["a"], difficulty=[5])["bin_sizes"] == [1]
    assert run("bins", ids=[], difficulty=[]) == {"bin_of_item": [], "bin_sizes": [], "bin_mean_difficulty": []}


def test_stability_and_generality_have_their_fields_at_the_top():
    found = run("stability", positives_per_instance=[2, 5, 0, 3], prompts_per_instance=[3, 5, 2, 6])
    assert found["scaled"] == pytest.approx(42.222222222222)
    found = run("generality", h=[0.2, 0.4, 0.6, 0.8], psi=[0.9, 0.7, 0.4, 0.1], kmin=None)
    assert (found["area"], found["capability"]) == pytest.approx((0.32, 0.52))
    assert run("generality", h=[0.2, 1], psi=[1, 0])["area"] == pytest.approx(0.6)


def test_indicators_go_from_labels_to_every_value():
    found = run("indicators", **LABELLED)
    assert found["counts"] == {"c": 4, "a": 1, "i": 1}
    assert found["bin_rate"]["c"] == [1, 0.5, None]
    assert found["indicators"]["correctness_proportion"] == pytest.approx(400 / 6)
    assert (found["n_items"], found["n_scored"], found["discount"]) == (3, 6, 0)


def test_the_discount_is_a_number_or_the_benchmark_that_has_one():
    plain = run("indicators", **LABELLED)
    expected = run("indicators", **LABELLED, discount=0.25)
    assert expected["indicators"]["correctness_concordance"] != plain["indicators"]["correctness_concordance"]
    assert run("indicators", **LABELLED, science=True) == expected
    assert run("indicators", **LABELLED, benchmark="science") == expected
    for more in ({"science": False}, {"benchmark": "addition"}, {"discount": 0, "science": True}):
        assert run("indicators", **LABELLED, **more) == plain


@each_of(
    ("name", "given", "field"),
    [
        ("bins", {"difficulty": [1]}, "ids"),
        ("bins", {"ids": ["a"]}, "difficulty"),
        ("bins", {"ids": "a", "difficulty": [1]}, "ids"),
        ("bins", {"ids": [1], "difficulty": [1]}, "ids"),
        ("bins", {"ids": ["a", "a"], "difficulty": [1, 2]}, "ids"),
        ("bins", {"ids": ["a"], "difficulty": [1, 2]}, "difficulty"),
        ("bins", {"ids": ["a"], "difficulty": ["1"]}, "difficulty"),
        ("bins", {"ids": ["a"], "difficulty": [float("nan")]}, "difficulty"),
        ("bins", {"ids": ["a"], "difficulty": [1], "n_bins": 0}, "n_bins"),
        ("bins", {"ids": ["a"], "difficulty": [1], "n_bins": True}, "n_bins"),
        ("stability", {"positives_per_instance": [1]}, "prompts_per_instance"),
        ("stability", {"positives_per_instance": [1.5], "prompts_per_instance": [2]}, "positives_per_instance"),
        ("stability", {"positives_per_instance": [True], "prompts_per_instance": [2]}, "positives_per_instance"),
        ("stability", {"positives_per_instance": [3], "prompts_per_instance": [2]}, "positives_per_instance"),
        ("stability", {"positives_per_instance": [1, 1], "prompts_per_instance": [2]}, "prompts_per_instance"),
        ("stability", {"positives_per_instance": [0], "prompts_per_instance": [-1]}, "prompts_per_instance"),
        ("generality", {"h": [1]}, "psi"),
        ("generality", {"h": [1], "psi": [2]}, "psi"),
        ("generality", {"h": [1], "psi": [0.5, 0.5]}, "psi"),
        ("generality", {"h": [None], "psi": [1]}, "h"),
        ("generality", {"h": [1], "psi": [1], "kmin": "0"}, "kmin"),
        ("generality", {"h": [-1, 1], "psi": [1, 0]}, "kmin"),
        ("indicators", {**LABELLED, "labels": ["c", "i"]}, "labels"),
        ("indicators", {**LABELLED, "labels": ["c", "i", "x"]}, "labels"),
        ("indicators", {**LABELLED, "labels": ["c", "i", "c-"]}, "labels"),
        ("indicators", {**LABELLED, "labels": ["c", "i", ["ca"]]}, "labels"),
        ("indicators", {**LABELLED, "labels": ["c", "i", None]}, "labels"),
        ("indicators", {**LABELLED, "labels": "cia"}, "labels"),
        ("indicators", {**LABELLED, "difficulty": [1, 2, 101]}, "difficulty"),
        ("indicators", {**LABELLED, "prompts": 3}, "prompts"),
        ("indicators", {**LABELLED, "prompts": "4"}, "prompts"),
        ("indicators", {**LABELLED, "discount": 1.5}, "discount"),
        ("indicators", {**LABELLED, "discount": "0.25"}, "discount"),
        ("indicators", {**LABELLED, "science": "yes"}, "science"),
    ],
)
def test_a_wrong_field_is_named(name, given, field):
    with pytest.raises(InputError) as refused:
        run(name, **given)
    assert refused.value.where == field


@pytest.mark.parametrize("labels", [[], [""], ["", ""]])
def test_nothing_scored_is_null_and_degenerate(labels):
    ids = [f"i{place}" for place in range(len(labels))]
    found = run("indicators", ids=ids, difficulty=[5] * len(labels), labels=labels)
    assert found["degenerate"] is True
    assert set(found["indicators"].values()) == {None}
    assert found["ultracrepidarianism"] is None


def test_every_tool_says_what_it_takes_and_gives():
    for tool in ANALYSES.values():
        assert tool.about.endswith(".")
        assert tool.takes and tool.gives
