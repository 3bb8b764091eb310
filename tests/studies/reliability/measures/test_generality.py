"""Difficulty concordance: the curve's integrals, the properties of the spread, and what is degenerate."""

import json
import math
from fractions import Fraction

import pytest
import support
from hypothesis import given
from hypothesis import strategies as st
from studies.reliability import slow

from harness.errors import InputError
from harness.studies.reliability.measures.generality import generality

FIXTURE = support.FIXTURES / "reliability" / "generality.json"
grid = st.integers(0, 40).map(lambda step: Fraction(step, 40))
curves = st.lists(st.tuples(grid, st.integers(0, 12).map(lambda step: Fraction(step, 12))), min_size=1, max_size=15)


def columns(points):
    return [float(h) for h, _ in points], [float(psi) for _, psi in points]


@pytest.mark.skipif(not FIXTURE.is_file(), reason="the fixtures do not lie beside this checkout")
def test_the_shared_cases():
    cases = json.loads(FIXTURE.read_text())["cases"]
    assert cases
    for case in cases:
        found = generality(case["h"], case["psi"], case["kmin"])
        assert {name: found[name] for name in case["expected"]} == pytest.approx(case["expected"], abs=1e-9)


@pytest.mark.parametrize(
    ("h", "psi", "area", "expected", "spread", "indicator"),
    [
        ([0, 1], [0.5, 0.5], 0.5, 0.5, 0.5, 66.6667),
        ([0, 1], [1, 0], 0.5, 1 / 3, 0.288675, 77.599076),
        ([0, 1], [0, 1], 0.5, 2 / 3, 0.645497, 60.771904),
        ([0.2, 0.4, 0.6, 0.8], [0.9, 0.7, 0.4, 0.1], 0.52, 0.298718, 0.200666, 83.287140),
        ([20, 40, 60, 80], [0.9, 0.7, 0.4, 0.1], 52, 29.871795, 20.066556, 4.746860),
    ],
)
def test_the_worked_values_of_the_specification(h, psi, area, expected, spread, indicator):
    found = generality(h, psi)
    values = (found["area"], found["expected_difficulty"], found["spread"], found["indicator"])
    assert values == pytest.approx((area, expected, spread, indicator), rel=1e-5)
    assert found["generality"] == pytest.approx(1 / spread, rel=1e-5)


@given(curves)
def test_the_indicator_is_what_exact_fractions_give(points):
    assert generality(*columns(points))["indicator"] == pytest.approx(slow.concordance(points), abs=1e-6)


@given(curves, st.randoms(use_true_random=False))
def test_points_may_come_in_any_order(points, shuffler):
    shuffled = list(points)
    shuffler.shuffle(shuffled)
    assert generality(*columns(shuffled)) == pytest.approx(generality(*columns(points)), abs=1e-12, nan_ok=True)


@given(curves, st.floats(-50, 0))
def test_the_spread_does_not_depend_on_a_lower_limit_below_the_first_point(points, kmin):
    h, psi = columns(points)
    at_first = generality(h, psi, None)["spread"]
    assert generality(h, psi, kmin)["spread"] ** 2 == pytest.approx(at_first**2, abs=1e-10)


@given(curves)
def test_on_the_unit_scale_the_indicator_keeps_its_bounds(points):
    assert 100 / (1 + math.sqrt(0.5)) - 1e-9 <= generality(*columns(points))["indicator"] <= 100


def test_points_of_one_difficulty_are_one_point_of_their_mean_success():
    merged = generality([0.1, 0.5, 0.9], [0.9, 0.4, 0.1])
    assert generality([0.1, 0.1, 0.5, 0.5, 0.9], [1, 0.8, 0.6, 0.2, 0.1]) == pytest.approx(merged)


def test_spread_follows_a_logistic_curves_slope_and_a_flat_ones_level():
    slope = 40.0
    h = [place / 2000 for place in range(2001)]
    found = generality(h, [1 / (1 + math.exp(slope * (each - 0.5))) for each in h])
    assert found["spread"] == pytest.approx(math.pi / (slope * math.sqrt(3)), rel=1e-4)
    assert generality([0, 1], [0.3, 0.3])["spread"] == pytest.approx(math.sqrt(0.3 - 0.09))


@pytest.mark.parametrize("offset", [0, 7, 1e6])
def test_a_perfect_step_is_infinitely_general_on_a_far_off_scale_too(offset):
    found = generality([offset, offset + 0.5, offset + 0.5 + 1e-9, offset + 1], [1, 1, 0, 0], None)
    assert (found["spread"], found["generality"], found["indicator"]) == (0, None, 100)
    assert found["degenerate"] is False


@pytest.mark.parametrize(
    ("h", "psi"), [([0, 0.5, 1], [1, 1, 1]), ([0, 0.5, 1], [0, 0, 0]), ([0.4], [0.7]), ([0.4, 0.4], [0.7, 0.1])]
)
def test_a_curve_that_tells_no_difficulty_from_another_is_degenerate(h, psi):
    found = generality(h, psi)
    assert (found["spread"], found["generality"], found["indicator"], found["degenerate"]) == (0, None, 100, True)


def test_no_points_have_no_value_and_are_degenerate():
    found = generality([], [])
    assert found.pop("degenerate") is True
    assert set(found.values()) == {None}


def test_success_never_leaves_no_expected_difficulty():
    assert generality([0, 1], [0, 0])["expected_difficulty"] is None


@pytest.mark.parametrize(
    ("h", "psi", "kmin"), [([0, 1], [0.5], 0), ([0, 1], [0.5, 1.5], 0), ([0, 1], [-0.1, 0], 0), ([0.2, 1], [1, 0], 0.3)]
)
def test_what_makes_no_curve_is_refused(h, psi, kmin):
    with pytest.raises(InputError):
        generality(h, psi, kmin)
