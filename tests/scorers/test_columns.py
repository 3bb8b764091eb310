"""The analysis `columns.fit`: R2 and r a column, against the targets outside each fold, with arrays or with lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import FIXTURES
from support_cases import each_of

from harness.errors import InputError
from harness.scorers.columns import ANALYSES

TOOL = ANALYSES["columns.fit"]
TARGETS = [[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [6.0, 5.0]]


def test_a_perfect_prediction_has_r2_one_and_the_mean_of_the_others_zero() -> None:
    perfect = TOOL.run({"targets": TARGETS, "predictions": TARGETS, "fold_sizes": [2, 2]})
    assert perfect["r2"][0] == 1 and perfect["pearson"].tolist() == [1, 0] and np.isnan(perfect["r2"][1])
    means = [[4.5, 5.0], [4.5, 5.0], [1.5, 5.0], [1.5, 5.0]]  # of the other fold
    found = TOOL.run({"targets": np.array(TARGETS), "predictions": np.array(means), "fold_sizes": np.array([2, 2])})
    assert found["r2"][0] == 0 and found["mse"][0] == found["mse_mean"][0] and found["pearson"].tolist() == [0, 0]


def test_without_folds_the_targets_own_mean_is_what_counts() -> None:
    found = TOOL.run({"targets": TARGETS, "predictions": [[3.0, 6.0]] * 4})
    assert found["r2"][0] == 0 and found["r2"][1] == -np.inf


def test_another_model_is_held_against_the_same_targets() -> None:
    found = TOOL.run({"targets": TARGETS, "predictions": TARGETS, "others": [[3.0, 6.0]] * 4})
    assert found["others"]["r2"][0] == 0 and found["better"] == 1


@pytest.mark.skipif(not (FIXTURES / "brain").is_dir(), reason="the golden values lie beside the checkout")
def test_it_gives_what_the_authors_own_functions_give() -> None:
    with np.load(FIXTURES / "brain" / "r2_oos_pearson.npz", allow_pickle=False) as golden:
        given = {"targets": golden["y"], "predictions": golden["y_hat"], "fold_sizes": golden["fold_sizes"]}
        found = TOOL.run(given)
        names = {"r2": "r2_oos", "pearson": "pearson_fold_mean", "mse": "pooled_mse_model"}
        for ours, theirs in {**names, "mse_mean": "pooled_mse_intercept"}.items():
            np.testing.assert_allclose(found[ours], golden[theirs], rtol=1e-6, atol=1e-6)


@each_of(
    ("field", "value", "told"),
    [
        ("targets", [[1, 2], [3]], "`targets` is not rows of finite numbers, all of one length but a list"),
        ("targets", [1, 2], "but a list"),
        ("targets", [[1, True]], "rows of finite numbers"),
        ("targets", [[1, float("nan")]], "rows of finite numbers"),
        ("targets", [["nan", 1]], "rows of finite numbers"),
        ("targets", np.array([[1.0, np.inf]]), "but an array [1, 2]"),
        ("targets", np.ones(3), "but an array [3]"),
        ("targets", np.array([["a"]]), "but an array [1, 1]"),
        ("targets", "all", "but text"),
        ("targets", np.ones((3, 2)), "are [3, 2] and [4, 2]"),
        ("fold_sizes", [1.5, 2.5], "`fold_sizes` is not a list of whole numbers"),
        ("fold_sizes", [2, 3], "the folds have 5 rows of 4"),
        ("fold_sizes", [4, 0], "the folds have 4 rows of 4"),
        ("fold_sizes", [2**70], "a list of whole numbers"),
    ],
)
def test_what_is_no_such_array_is_told_by_its_field(field: str, value: Any, told: str) -> None:
    with pytest.raises(InputError) as refused:
        TOOL.run({"targets": TARGETS, "predictions": TARGETS, field: value})
    assert told in refused.value.what
