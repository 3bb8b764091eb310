"""Whole fits called alone: what is asked is read off names, and what stands under them is never looked at."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support_draws import drawn

from harness.errors import InputError
from harness.studies.brain.standalone.pipelines import ANALYSES

spaces = ANALYSES["brain.pipeline_single_space"].run
plain = ANALYSES["brain.ridge_cv_mse_criterion"].run
ALPHA = 4.0


@pytest.fixture
def words() -> dict[str, np.ndarray]:
    """Twenty sentences of eight words, five features, three electrodes; one alpha, so that nothing is searched."""
    source = np.random.default_rng(2)
    x = source.normal(size=(160, 5)).astype(np.float32)
    y = (x @ source.normal(size=(5, 3)) + 2 * source.normal(size=(160, 3))).astype(np.float32)
    return {"fedorenko_X": x, "fedorenko_y": y, "alphas": np.array([0.0, ALPHA])}


def expected(x: np.ndarray, y: np.ndarray, order: np.ndarray) -> Any:
    """Give R2 over blocks of 32 rows of an order, by the normal equations of scaled training rows."""
    num, den = 0.0, 0.0
    for start in range(0, len(y), 32):
        test, train = order[start : start + 32], np.concatenate([order[:start], order[start + 32 :]])
        a, b = x[train].astype(float), y[train].astype(float)
        z, ahead = (a - a.mean(0)) / a.std(0), (x[test] - a.mean(0)) / a.std(0)
        weights = np.linalg.solve(z.T @ z + ALPHA * np.eye(5), z.T @ (b - b.mean(0)))
        num = num + ((y[test] - ahead @ weights - b.mean(0)) ** 2).sum(0)
        den = den + ((y[test] - b.mean(0)) ** 2).sum(0)
    return 1 - num / den


def test_scores_are_those_of_each_split_that_is_asked(words):
    asked = ("fedorenko_r2_contiguous", "fedorenko_r2_shuffled", "fedorenko_r2_shuffled_seed7_inner32")
    found = spaces({**words, **dict.fromkeys(asked)})
    assert set(found) == {*asked}
    orders = (np.arange(160), np.random.RandomState(42).permutation(160), np.random.RandomState(7).permutation(160))
    for name, order in zip(asked, orders, strict=True):
        np.testing.assert_allclose(found[name], expected(words["fedorenko_X"], words["fedorenko_y"], order), atol=1e-5)


def test_what_stands_under_an_asked_name_changes_nothing(words):
    one = spaces({**words, "fedorenko_r2_contiguous": None})
    other = spaces({**words, "fedorenko_r2_contiguous": np.full(3, 0.7)})
    assert np.array_equal(one["fedorenko_r2_contiguous"], other["fedorenko_r2_contiguous"])


def test_where_nothing_is_asked_both_splits_are(words):
    assert set(spaces(words)) == {"fedorenko_r2_contiguous", "fedorenko_r2_shuffled"}


def test_nested_lists_are_taken_as_arrays_are(words):
    asked = {"fedorenko_r2_contiguous": None}
    listed = spaces({**{name: array.tolist() for name, array in words.items()}, **asked})
    assert np.array_equal(listed["fedorenko_r2_contiguous"], spaces({**words, **asked})["fedorenko_r2_contiguous"])


def test_pereiras_features_may_have_the_rows_of_both_experiments():
    source = np.random.default_rng(4)
    x, y = source.normal(size=(627, 3)), source.normal(size=(243, 2))
    asked = {"alphas": [ALPHA], "pereira243_r2_shuffled": None, "pereira243_y": y}
    whole, part = (spaces({**asked, "pereira243_X": rows}) for rows in (x, x[:243]))
    assert np.array_equal(whole["pereira243_r2_shuffled"], part["pereira243_r2_shuffled"])


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("change", "says"),
    drawn(
        [
            ({"fedorenko_X": None}, "no table"),
            ({"fedorenko_y": None}, "no table"),
            ({"fedorenko_y": np.full((160, 2), np.nan)}, "no table"),
            ({"fedorenko_y": [[1, 2], [3]]}, "no table"),
            ({"fedorenko_y": np.zeros((161, 2))}, "has 161 rows"),
            ({"fedorenko_X": np.zeros((100, 2))}, "has 100 rows"),
            ({"blank_X": np.zeros((10, 2)), "blank_y": np.zeros((10, 2))}, "`blank_y` has 10 rows"),
            ({"pereira243_X": np.zeros((9, 2)), "pereira243_y": np.zeros((9, 2))}, "`pereira243_X` has 9 rows"),
            ({"alphas": [-1.0]}, "alphas"),
        ],
        3,
        9,
    ),
)
def test_what_cannot_be_fitted_is_refused(words, change, says):
    with pytest.raises(InputError, match=says):
        spaces({**words, **change})


def test_without_features_by_a_known_name_nothing_is_fitted():
    with pytest.raises(InputError, match="no features are given"):
        spaces({"narratives_X": [[1.0]]})


def test_plain_ridge_gives_all_that_its_output_declares():
    source = np.random.default_rng(5)
    given = {"Xz": source.normal(size=(20, 3)), "Y": source.normal(size=(20, 2)), "n_train": 15, "n_splits_kfold": 4}
    found = plain({**given, "alphas_nonzero": [1.0, 2.0]})
    shapes = {name: array.shape for name, array in found.items()}
    assert shapes == {
        "weights_with_intercept_row0": (4, 2), "val_mse": (2, 2), "best_alpha": (2,), "pred_test": (5, 2),
        "ols_weights_row0_intercept": (4, 2), "ols_pred_test": (5, 2),
    }  # fmt: skip
    x, y = given["Xz"][:15], given["Y"][:15]
    weights = np.linalg.lstsq(x, y - y.mean(0), rcond=None)[0]
    np.testing.assert_allclose(found["ols_pred_test"], given["Xz"][15:] @ weights + y.mean(0))


@pytest.mark.parametrize(
    ("change", "says"),
    [({"n_train": 21}, "21 of which"), ({"n_splits_kfold": 16}, "16 folds"), ({"alphas_nonzero": [0.0]}, "above 0")],
)
def test_plain_ridge_refuses_what_it_cannot_split_or_shrink(change, says):
    given = {"Xz": np.eye(20), "Y": np.eye(20), "n_train": 15, "n_splits_kfold": 4, "alphas_nonzero": [1.0]}
    with pytest.raises(InputError, match=says):
        plain({**given, **change})
