"""Banded ridge as it is called alone: sets of weights by name, a second file, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from support_brain_ridge import ALPHAS, problem, scores
from support_cases import each_of

from harness import arrays
from harness.errors import InputError
from harness.studies.brain.ridge.gammas import subsets
from harness.studies.brain.standalone.ridge import ANALYSES
from harness.verbs.measuring import analysis_fields


def given(**change):
    made = problem(rows=30, columns=(3, 5), targets=4, folds=(10, 10, 10))
    shared = {
        "Xz": np.concatenate(made.bands, axis=1), "Y": made.targets, "n_train": np.array(24),
        "space_dims": np.array([3, 5]), "n_splits_kfold": np.array(5), "alphas": np.array(ALPHAS),
    }  # fmt: skip
    return {**shared, **change}


def run(name, **change):
    return ANALYSES[f"brain.banded_{name}"].run(given(**change))


def expected(gammas, criterion):
    """Score each row of weights the long way: the first 24 rows train, in folds of 5, 5, 5, 5 and 4."""
    made, values = problem(rows=30, columns=(3, 5), targets=4, folds=(10, 10, 10)), given()
    made.bands = [band[:24] for band in made.bands]
    made.targets, made.inner = values["Y"][:24], [fold.tolist() for fold in np.array_split(np.arange(24), 5)]
    return np.array([scores(made, gamma, ALPHAS, criterion).max(axis=0) for gamma in gammas])


def test_each_set_of_weights_is_answered_under_its_name():
    sets = {"one": [[0.5, 0.5]], "two_more": [[0.25, 0.75], [1, 0], [0.5, 0.5]]}
    found = run("ridge_author_criterion", **{f"{name}_gammas": gammas for name, gammas in sets.items()})
    keys = ("deltas", "weights", "intercept", "cv_scores", "pred_test", "r2_oos_test")
    assert {*found} == {f"{name}_{key}" for name in sets for key in keys}
    for name, gammas in sets.items():
        assert np.abs(found[f"{name}_cv_scores"] - expected(gammas, "r2")).max() < 5e-9
        said = given()["Xz"][24:] @ found[f"{name}_weights"] + found[f"{name}_intercept"]
        assert np.abs(said - found[f"{name}_pred_test"]).max() < 1e-9


def test_upstreams_criterion_is_the_mean_of_the_folds_errors():
    gammas = np.array([[0.5, 0.5], [0.9, 0.1]])
    found = run("ridge_upstream_criterion", gammas_positive=gammas)
    assert np.abs(found["cv_scores_neg_mse"] - expected(gammas, "mse")).max() < 5e-9


def test_all_subsets_are_tried_whatever_else_stands_in_the_file():
    found = run("kernel_all_subsets", cv_scores=np.full((3, 4), np.nan), deltas=np.zeros((2, 4)))
    assert np.abs(found["cv_scores"] - expected(subsets(2), "r2")).max() < 5e-9
    kernels = [band @ band[:24].T for band in np.split(given()["Xz"], [3], axis=1)]
    said = sum(
        kernel[24:] @ found["dual_weights"] * np.exp(d) for kernel, d in zip(kernels, found["deltas"], strict=True)
    )
    assert np.abs(said + found["intercept"] - found["pred_test"]).max() < 1e-9


def test_features_and_targets_may_come_from_a_second_file(tmp_path):
    arrays.write_all(tmp_path / "first.npz", {"gammas_positive": np.array([[0.5, 0.5]])})
    arrays.write_all(tmp_path / "second.npz", given())
    tool = ANALYSES["brain.banded_ridge_upstream_criterion"]
    read = analysis_fields(tool.takes, tmp_path / "first.npz", tmp_path / "second.npz", {})
    whole = run("ridge_upstream_criterion", gammas_positive=np.array([[0.5, 0.5]]))
    assert np.array_equal(tool.run(read)["pred_test"], whole["pred_test"])


def test_a_constant_target_has_no_r2():
    targets = given()["Y"].copy()
    targets[:, 1] = 3.0
    found = run("kernel_all_subsets", Y=targets)
    assert not np.isfinite(found["r2_oos_test"][1]) and (found["pred_test"][:, 1] == 3.0).all()


def test_a_constant_target_has_no_r2_where_its_mean_is_rounded():
    targets = given()["Y"].astype(float)
    targets[:, 1] = 0.1
    assert targets[:24].mean(axis=0)[1] != 0.1
    assert np.isnan(run("kernel_all_subsets", Y=targets)["r2_oos_test"][1])


@each_of(
    ("change", "told"),
    [
        ({"n_train": 31}, "31 of which train"),
        ({"n_train": 1}, "1 of which train"),
        ({"n_splits_kfold": 25}, "25 folds of 24 rows"),
        ({"n_splits_kfold": 1}, "1 folds of 24 rows"),
        ({"space_dims": [3, 4]}, "bands of"),
        ({"space_dims": [8, 0]}, "bands of"),
        ({"space_dims": [1] * 11, "Xz": np.ones((30, 11))}, "11 bands"),
        ({"alphas": [0.0]}, "alphas"),
        ({"n_train": 2.5}, "`n_train` is not a whole number"),
        ({"Y": np.full((30, 2), np.nan)}, "`Y` is not rows of finite numbers"),
    ],
)
def test_what_does_not_fit_together_is_refused(change, told):
    with pytest.raises(InputError, match=told):
        run("kernel_all_subsets", **change)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({}, "no weights"),
        ({"a_gammas": [1, 0]}, "no table"),
        ({"a_gammas": [["x"]]}, "no table"),
        ({"a_gammas": [[1, 0, 0]]}, "shape"),
    ],
)
def test_a_set_without_weights_is_refused(change, told):
    with pytest.raises(InputError, match=told):
        run("ridge_author_criterion", **change)
