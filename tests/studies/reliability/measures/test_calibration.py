"""The logistic fit of expectations: against another optimiser, against closed forms, and where there is no fit."""

import math

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from support_cases import each_of
from support_examples import examples

from harness.errors import InputError
from harness.studies.reliability.measures.calibration import curve, fit
from harness.studies.reliability.measures.calibration_rows import fit_rows

LADDER = (
    [0, 1, 2, 3, 5, 8, 12, 18, 25, 33, 40, 48],
    [0.08, 0.1, 0.15, 0.22, 0.25, 0.4, 0.47, 0.66, 0.8, 0.9, 0.93, 0.97],
)
shares = st.floats(0.02, 0.98)
points = st.lists(st.tuples(st.integers(-30, 30), shares, st.integers(1, 9)), min_size=3, max_size=25).filter(
    lambda each: len({f for f, _, _ in each}) > 1
)


def logit(p):
    return math.log(p / (1 - p))


def test_the_worked_example_of_the_specification():
    found = fit(*LADDER)
    assert found.alpha == pytest.approx(-1.766255, abs=1e-6) and found.beta == pytest.approx(0.123664, abs=1e-6)
    assert found.predict(0) == pytest.approx(14.600865, abs=1e-6)
    assert found.predict(50) == pytest.approx(98.807270, abs=1e-6)
    assert (found.inverted, found.n_items) == (False, 12)


@given(points)
def test_no_other_line_fits_better(drawn):
    f, y, w = (np.array(column, float) for column in zip(*drawn, strict=True))
    found = fit(f.tolist(), y.tolist(), w.tolist())
    p = 1 / (1 + np.exp(-(found.alpha + found.beta * f)))
    scale = w.sum() * np.abs(f).max()
    assert abs((w * (y - p)).sum()) < 1e-8 * scale and abs((w * (y - p) * f).sum()) < 1e-8 * scale * np.abs(f).max()


def test_it_agrees_with_another_optimiser():
    f, y, w = (
        np.array([1.0, 4, 4, 9, 15, 22]),
        np.array([0.05, 0.2, 0.35, 0.3, 0.7, 0.85]),
        np.array([12, 3, 8, 1, 5, 20]),
    )

    def loss(at):
        line = at[0] + at[1] * f
        return (w * (np.logaddexp(0, line) - y * line)).sum()

    best = scipy.optimize.minimize(loss, [0, 0], method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-14})
    found = fit(f.tolist(), y.tolist(), w.tolist())
    assert found.alpha == pytest.approx(best.x[0], abs=1e-5) and found.beta == pytest.approx(best.x[1], abs=1e-6)


def test_two_values_of_f_are_met_exactly_at_their_weighted_means():
    found = fit([0, 0, 1, 1], [0.1, 0.3, 0.6, 0.8], [1, 3, 2, 2])
    assert found.alpha == pytest.approx(logit(0.25)) and found.alpha + found.beta == pytest.approx(logit(0.7))


@pytest.mark.parametrize(("scale", "shift"), [(1e-6, 0), (1e9, -1e12), (1e-200, 0), (3, 7)])
def test_the_units_of_f_do_not_matter(scale, shift):
    f, y = [0, 1, 2, 5, 9], [0.1, 0.2, 0.2, 0.5, 0.7]
    plain, moved = fit(f, y), fit([scale * value + shift for value in f], y)
    assert moved.beta * scale == pytest.approx(plain.beta, rel=1e-6)
    assert moved.predict(scale * 5 + shift) == pytest.approx(plain.predict(5), rel=1e-6)


def test_people_who_expect_the_opposite_are_kept_and_marked():
    found = fit([1, 2, 3], [0.9, 0.5, 0.1])
    assert found.inverted and found.beta == pytest.approx(-math.log(9))


def test_flat_expectations_give_a_flat_curve_that_is_not_inverted():
    found = fit([1, 2, 4], [0.3, 0.3, 0.3])
    assert (found.beta, found.inverted) == (0, False) and found.predict(100) == pytest.approx(30)


@each_of(
    ("f", "y"),
    [
        ([0, 1], [0, 1]), ([1, 2, 3, 4], [0, 0, 1, 1]), ([0, 0, 1], [0, 1, 1]), ([1, 2, 3], [0, 0, 0]),
        ([1, 2, 3], [1, 1, 1]), ([0, 1], [1e-12, 1 - 1e-12]), ([3, 2, 1], [0, 0, 1]),
    ],
)  # fmt: skip
def test_separable_data_are_refused_by_that_name(f, y):
    with pytest.raises(InputError, match="separable"):
        fit(f, y)


def test_a_curve_almost_too_steep_is_still_a_curve():
    assert fit([0, 1], [1e-9, 1 - 1e-9]).beta == pytest.approx(2 * logit(1 - 1e-9), rel=1e-6)


@pytest.mark.parametrize("f", [[5, 5, 5], [5], []])
def test_a_constant_measure_is_refused(f):
    with pytest.raises(InputError, match="constant"):
        fit(f, [0.5] * len(f))


def test_an_item_of_weight_zero_has_no_say():
    assert fit([0, 1, 1000], [0.25, 0.7, 0], [1, 1, 0]) == fit([0, 1], [0.25, 0.7])
    with pytest.raises(InputError, match="constant"):
        fit([0, 1], [0.1, 0.2], [1, 0])


@each_of(
    ("f", "y", "weights", "where"),
    [
        ([0, 1], [0.1], None, "f"),
        ([0, 1], [0.1, 0.2], [1], "f"),
        ([0, "1"], [0.1, 0.2], None, "f[1]"),
        ([0, True], [0.1, 0.2], None, "f[1]"),
        ([0, math.nan], [0.1, 0.2], None, "f[1]"),
        ([0, 1], [0.1, 1.2], None, "y[1]"),
        ([0, 1], [None, 0.2], None, "y[0]"),
        ([0, 1], [0.1, 0.2], [1, -1], "weights[1]"),
        ([0, 5e-324], [0.2, 0.3], None, "f"),
    ],
)
def test_what_is_wrong_is_named(f, y, weights, where):
    with pytest.raises(InputError) as bad:
        fit(f, y, weights)
    assert bad.value.where == where


def test_the_block_of_a_manifest_holds_no_floats_and_reads_back():
    found = fit(*LADDER)
    block = found.block(120, "00")
    assert float(block["alpha"]) == found.alpha and float(block["beta"]) == found.beta
    assert {name: type(value) for name, value in block.items()} == {
        "kind": str, "alpha": str, "beta": str, "n_items": int, "n_ratings": int, "data_sha256": str,
    }  # fmt: skip


def test_points_of_the_curve_are_asked_for_plainly_or_as_objects():
    found = fit(*LADDER)
    assert curve(found, [0, {"f": 50, "difficulty": 3}]) == [
        {"f": 0, "difficulty": found.predict(0)}, {"f": 50, "difficulty": found.predict(50)},
    ]  # fmt: skip
    for wrong in ("0", None, {"x": 1}, True):
        with pytest.raises(InputError):
            curve(found, [wrong])


@examples(0.2)
@given(points, st.integers(0, 2**32 - 1))
def test_many_resamples_at_once_are_what_each_gives_alone(drawn, seed):
    f = [float(each[0]) for each in drawn]
    source = np.random.default_rng(seed)
    y, w = source.choice([0, 0.1, 0.5, 0.9, 1], (8, len(f))), source.integers(0, 3, (8, len(f))).astype(float)
    alphas, betas = fit_rows(f, y, w)
    for row in range(8):
        try:
            alone = fit(f, y[row].tolist(), w[row].tolist())
        except InputError:
            assert np.isnan(alphas[row]) and np.isnan(betas[row])
        else:
            assert alphas[row] == pytest.approx(alone.alpha, rel=1e-5, abs=1e-5)
            assert betas[row] == pytest.approx(alone.beta, rel=1e-5, abs=1e-5)
