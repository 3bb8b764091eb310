"""Lines over compute: against scipy, where there are too few points, and from the labels of a run."""

import math

import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from support_cases import each_of

from harness import rows
from harness.errors import InputError
from harness.studies.reliability.measures.scaling import analyse, line
from harness.studies.reliability.pages.model_facts import RAW, SHAPED, STAND_IN, UNSAID, kind
from harness.studies.reliability.terms import group


def test_the_worked_example_of_the_specification():
    found = line([6.41e20, 2.38e21, 1.2e22, 3.14e23], [0.62, 0.58, 0.50, 0.41])
    assert found["slope_per_decade"] == pytest.approx(-0.079400, abs=5e-7)
    assert found["intercept"] == pytest.approx(2.269529, abs=5e-7)
    assert (found["n"], found["degenerate"]) == (4, False)


@given(st.lists(st.tuples(st.integers(18, 27), st.floats(0, 1)), min_size=3, unique_by=lambda each: each[0]))
def test_it_agrees_with_an_independent_regression(points):
    flops, value = [10.0**x for x, _ in points], [y for _, y in points]
    expected = scipy.stats.linregress([math.log10(x) for x in flops], value)
    found = line(flops, value)
    assert found["slope_per_decade"] == pytest.approx(expected.slope, abs=1e-9)
    assert found["intercept"] == pytest.approx(expected.intercept, abs=1e-8)


@pytest.mark.parametrize(("flops", "value"), [([], []), ([1e20], [0.5]), ([1e20, 1e20], [0.1, 0.9])])
def test_without_two_amounts_of_compute_there_is_no_line(flops, value):
    found = line(flops, value)
    assert found["degenerate"] is True and found["n"] == len(flops)
    assert "missing" in found["slope_per_decade"] and "missing" in found["intercept"]


@each_of(
    ("flops", "value"),
    [([1e20], []), ([0], [1]), ([-1e20], [1]), (["1e20"], [1]), ([math.inf], [1]), ([1e20], [None]), ([True], [1])],
)
def test_what_is_no_compute_or_no_share_is_refused(flops, value):
    with pytest.raises(InputError):
        line(flops, value)


@pytest.fixture
def analysed(tmp_path):
    def run(labels, models):
        table = [
            {"model": m, "item": "1", "benchmark": b, "subset": b, "difficulty": 1, "labels": text}
            for m, b, text in labels
        ]
        rows.write(tmp_path / "labels", table)
        analyse({"models": models}, {"labels": tmp_path / "labels"}, tmp_path)
        [found] = rows.read(tmp_path / "scaling")
        return found

    return run


def facts(shaped="false", **more):
    return {"family": "f", "shaped": shaped, **more}


def test_shares_are_means_over_benchmarks_and_u_is_made_of_the_means(analysed):
    found = analysed([("m", "x", "caii"), ("m", "y", "a-")], {"m": facts(flops="1e21")})
    [point] = found["points"]
    # x: a 1/4, i 2/4; y: a 1/1; pooled they would be a 2/5, i 2/5
    assert (point["avoidant"], point["incorrect"], point["correct"]) == (0.625, 0.25, 0.125)
    assert point["ultracrepidarianism"] == pytest.approx(0.25 / 0.875)
    assert (point["benchmarks"], point["flops"], point["log10_flops"], point["family"]) == (2, "1e21", 21, "f")


def test_raw_and_shaped_models_are_fitted_apart_in_the_order_of_compute(analysed):
    labels = [("r1", "x", "aaai"), ("r2", "x", "aiii"), ("s1", "x", "iiic"), ("s2", "x", "iicc")]
    found = analysed(
        labels,
        {
            "r1": facts(flops="1e22"), "r2": facts(flops="1e20"),
            "s1": facts("true", flops="1e20"), "s2": facts("true", flops="1e21"),
        },
    )  # fmt: skip
    assert [point["model"] for point in found["points"]] == ["r2", "s1", "s2", "r1"]
    assert found["fits"]["raw"]["avoidant"]["slope_per_decade"] == pytest.approx(0.25)
    assert found["fits"]["shaped"]["incorrect"]["slope_per_decade"] == pytest.approx(-0.25)
    assert found["fits"]["shaped"]["ultracrepidarianism"] == {
        "slope_per_decade": 0, "intercept": 1, "n": 2, "degenerate": False,
    }  # fmt: skip


def test_models_without_known_compute_or_kind_are_named_and_not_shown(analysed):
    found = analysed(
        [("gpt", "x", "ca"), ("stand-in", "x", "ca"), ("unheard", "x", "ca")],
        {"gpt": facts("true"), "stand-in": {"family": "f", "stand_in": True, "flops": "1e20"}},
    )
    assert found["points"] == []
    assert [(row["model"], "compute" in row["reason"]) for row in found["excluded"]] == [
        ("gpt", True), ("stand-in", False), ("unheard", False),
    ]  # fmt: skip
    assert found["fits"]["raw"]["avoidant"]["degenerate"] is True


def test_a_stand_in_is_in_no_line_and_a_group_is_read_in_any_case(analysed):
    models = {
        "oracle": facts("true", flops="1e20", stand_in=True), "refuser": facts(flops="1e20", provider="baseline"),
        "tuned": facts("True", flops="1e21"), "first": facts("FALSE", flops="1e20"), "odd": facts("no", flops="1e20"),
    }  # fmt: skip
    found = analysed([(name, "x", "ca") for name in models], models)
    assert [(point["model"], point["shaped"]) for point in found["points"]] == [("first", "false"), ("tuned", "true")]
    assert {name: found["fits"][name]["avoidant"]["n"] for name in found["fits"]} == {"raw": 1, "shaped": 1}
    assert {row["model"]: row["reason"] for row in found["excluded"]} == {
        "odd": "not said whether it is shaped",
        **dict.fromkeys(("oracle", "refuser"), "a stand-in, not a model"),
    }


@each_of("said", ["true", "True", "FALSE", "false", "no", "", None, True, 1])
@each_of("more", [{}, {"stand_in": True}, {"stand_in": False}, {"provider": "baseline"}])
def test_figures_and_cards_read_a_group_as_the_analyses_do(said, more):
    what = {"shaped": said, **more}
    shown = kind(what)
    assert group(what) == (shown if shown in (RAW, SHAPED) else None)
    assert (shown == STAND_IN) is (more in ({"stand_in": True}, {"provider": "baseline"}))
    assert (shown == UNSAID) is (shown != STAND_IN and str(said).lower() not in ("true", "false"))


def test_a_model_always_right_or_never_scored_has_no_u_and_is_in_no_line(analysed):
    models = {name: facts(flops=flops) for name, flops in (("a", "1e20"), ("b", "1e21"), ("c", "1e22"))}
    found = analysed([("a", "x", "cc"), ("b", "x", "--"), ("c", "x", "ai")], models)
    assert [("missing" in point["ultracrepidarianism"]) for point in found["points"][:2]] == [True, True]
    assert found["fits"]["raw"]["ultracrepidarianism"]["n"] == 1
    assert found["fits"]["raw"]["avoidant"]["n"] == 2


def test_compute_that_is_no_number_names_the_model(analysed):
    with pytest.raises(InputError, match="of m is no amount"):
        analysed([("m", "x", "c")], {"m": facts(flops="much")})
