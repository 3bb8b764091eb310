"""The step that fits: its scores are those worked out directly, in every order and type that data may come in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import pearsonr
from sklearn.linear_model import Ridge
from studies.brain.fitting.small_fit import SmallData, direct, halves, inner_of, run

from harness.studies.brain.fitting import units
from harness.studies.brain.fitting.requests import request
from harness.studies.brain.fitting.step import search_settings
from harness.studies.brain.structure.others import fedorenko
from harness.studies.brain.terms import ALPHAS, H, P

pytestmark = pytest.mark.together


@pytest.fixture
def data() -> SmallData:
    return SmallData()


LOOKED_AT = [0, 3, 5]  # folds that are worked out directly, which takes its time


def worked_out(data: SmallData, names: str, found: Any, model: str, generation: str = P) -> dict[str, Any]:
    """Give mse, r, cv and alpha of a model [fold, unit] in some folds, with the gammas that the step drew."""
    y = data.recordings[data.first :]
    bands = [data.features[name][data.first :] for name in names]
    alphas = [alpha for alpha in ALPHAS[generation] if alpha > 0]
    whole: dict[str, list[Any]] = {name: [] for name in ("mse", "r", "cv", "alpha")}
    for number in LOOKED_AT:
        test, train = halves(data)[number]
        one = direct(bands, y, train, test, inner_of(number, data), found[f"{model}.gammas"], alphas)
        whole["mse"].append(((y[test] - one["predicted"]) ** 2).mean(0))
        whole["r"].append([pearsonr(a, b).statistic for a, b in zip(y[test].T, one["predicted"].T, strict=True)])
        whole["cv"].append(one["cv"])
        whole["alpha"].append(one["alpha"])
    return {name: np.array(value) for name, value in whole.items()}


def test_one_band_scores_as_worked_out_directly(data, tmp_path):
    found = run(data, tmp_path, models=["A"])
    expected = worked_out(data, "A", found, "A")
    mse, r, cv, alpha = (found[f"A.{name}"][LOOKED_AT] for name in ("mse", "r", "cv", "alpha"))
    shrunk = expected["alpha"] < 2.0**20  # beyond it alphas tie but for rounding
    assert shrunk.sum() > 6 and (alpha == expected["alpha"])[shrunk].all()
    assert (alpha[~shrunk] >= 2.0**20).all()
    np.testing.assert_allclose(mse, expected["mse"], rtol=1e-6)
    np.testing.assert_allclose(r[shrunk], expected["r"][shrunk], atol=1e-6)
    np.testing.assert_allclose(cv, expected["cv"], atol=1e-6)


def test_two_bands_score_as_worked_out_directly(data, tmp_path):
    found = run(data, tmp_path, models=["A+B"])
    assert found["A+B.gammas"].shape == (9, 2) and (np.ptp(found["A+B.gamma"], axis=1) > 0).any()
    np.testing.assert_allclose(found["A+B.gammas"][:3], [[0, 1], [1, 0], [0.5, 0.5]])
    expected = worked_out(data, "AB", found, "A+B")
    np.testing.assert_allclose(found["A+B.mse"][LOOKED_AT], expected["mse"], rtol=1e-5)
    np.testing.assert_allclose(found["A+B.cv"][LOOKED_AT], expected["cv"], atol=1e-6)


def test_generation_h_begins_uniform_and_has_its_own_alphas(data, tmp_path):
    found = run(data, tmp_path, models=["A+B"], generation=H, iterations=4)
    np.testing.assert_allclose(found["A+B.gammas"][0], [0.5, 0.5])
    expected = worked_out(data, "AB", found, "A+B", H)
    np.testing.assert_allclose(found["A+B.mse"][LOOKED_AT], expected["mse"], rtol=1e-5)
    assert set(found["A+B.alpha"].ravel()) <= set(ALPHAS[H]) - {0.0}


@pytest.mark.parametrize(("generation", "largest"), [(P, 2.0**34), (H, 2.0**19)])
def test_where_no_feature_helps_the_largest_alpha_is_chosen(data, tmp_path, generation, largest):
    data.features = {"A": np.ones((len(data.layout.ids), 3))}
    found = run(data, tmp_path, generation=generation)
    assert (found["A.alpha"] == largest).all()
    np.testing.assert_allclose(found["A.mse"], found["intercept.mse"])
    assert not found["A.r"].any()


def test_the_intercept_is_the_mean_of_the_training_rows(data, tmp_path):
    found, y = run(data, tmp_path), data.recordings[data.first :]
    expected = [((y[test] - y[train].mean(0)) ** 2).mean(0) for test, train in halves(data)]
    np.testing.assert_allclose(found["intercept.mse"], expected)
    assert found["fold_rows"].tolist() == [len(test) for test, _ in halves(data)]


@pytest.mark.parametrize("split", ["contiguous", "shuffled"])
def test_errors_stand_in_the_order_of_rows(data, tmp_path, split):
    found = run(data, tmp_path, models=["A", "B"], errors=["A"], split=split)
    assert "errors/B" not in found and found["errors/A"].dtype == np.float32
    for model in ("A", "intercept"):
        of_fold = [found[f"errors/{model}"][found["fold_of_row"] == fold].mean(0) for fold in range(6)]
        np.testing.assert_allclose(of_fold, found[f"{model}.mse"], rtol=1e-5)
    y, of_row = data.recordings[data.first :], found["fold_of_row"]
    means = np.array([y[of_row != fold].mean(0) for fold in range(6)])
    np.testing.assert_allclose(found["errors/intercept"], (y - means[of_row]) ** 2, rtol=1e-5)
    first = {label: fold for fold, (test, _) in enumerate(halves(data)) for label in test}
    contiguous = [first[row] for row in range(len(first))]
    assert (found["fold_of_row"].tolist() == contiguous) == (split == "contiguous")


def test_a_model_is_fitted_alike_whatever_else_is_asked(data, tmp_path):
    alone, beside = run(data, tmp_path / "a", models=["B"]), run(data, tmp_path / "b", models=["A+B", "B", "A"])
    assert all(np.array_equal(array, beside[name]) for name, array in alone.items() if name.startswith("B."))


def test_a_fit_twice_gives_the_same_bytes(data, tmp_path):
    for name in "ab":
        run(data, tmp_path / name, models=["A+B", "A&B"], errors=["A&B"])
    for file in ("fits", "errors", "searches"):
        assert (tmp_path / "a/out" / file).read_bytes() == (tmp_path / "b/out" / file).read_bytes()


def test_threads_change_no_more_than_rounding(data, tmp_path, monkeypatch):
    one = run(data, tmp_path / "a", models=["A+B"])
    monkeypatch.setenv("HARNESS_THREADS", "2")
    two = run(data, tmp_path / "b", models=["A+B"])
    assert np.array_equal(one["A+B.gamma"], two["A+B.gamma"])
    np.testing.assert_allclose(one["A+B.mse"], two["A+B.mse"], rtol=1e-9)


@pytest.mark.parametrize("kind", ["float32", "float16", "fortran"])
def test_recordings_may_come_in_any_order_and_type(data, tmp_path, kind):
    data.recordings = data.recordings.astype(np.float16).astype(np.float64)
    plain = run(data, tmp_path / "a", models=["A"])
    data.recordings = np.asfortranarray(data.recordings) if kind == "fortran" else data.recordings.astype(kind)
    found = run(data, tmp_path / "b", models=["A"])
    assert np.array_equal(plain["A.mse"], found["A.mse"])


def test_a_unit_without_the_experiment_is_left_out(data, tmp_path, monkeypatch):
    without = run(data, tmp_path / "a", models=["A+B"], errors=["A+B"])
    kept = [0, 2, 3, 5, 6, 7]
    whole = np.full((len(data.recordings), 8), np.nan)
    whole[: data.first, [1, 4]] = 1.0  # it did the other experiment alone
    whole[:, kept] = data.recordings
    data.recordings = whole
    monkeypatch.setattr(units, "BLOCK", 3)  # so that units come in several blocks
    found = run(data, tmp_path / "b", models=["A+B"], errors=["A+B"])
    for name in ("A+B.mse", "A+B.r", "A+B.alpha", "A+B.cv", "intercept.mse", "errors/A+B", "errors/intercept"):
        assert np.isnan(found[name][:, [1, 4]]).all() and np.array_equal(found[name][:, kept], without[name])
    assert (found["A+B.gamma"][:, [1, 4]] == -1).all()
    assert found["searches"]["observed"]["left_out"] == 2


@pytest.mark.parametrize(("generation", "dtype"), [(P, "float32"), (H, "float64")])
def test_a_constant_unit_is_predicted_by_its_value(data, tmp_path, generation, dtype):
    data.recordings[:, 3] = 1 / 3
    models = ["A+B", "B"] + (["A!plain", "A!ols"] if generation == H else [])
    found = run(data, tmp_path, models=models, dtype=dtype, generation=generation, errors=models)
    for model in (*models, "intercept"):
        assert not found[f"{model}.mse"][:, 3].any() and not found[f"errors/{model}"][:, 3].any()
    assert found["searches"]["observed"]["constant"] == 1


def test_other_units_are_scored_as_if_no_unit_were_constant(data, tmp_path):
    plain = run(data, tmp_path / "a", models=["A"])
    data.recordings = np.hstack([data.recordings, np.ones((len(data.recordings), 1))])
    found = run(data, tmp_path / "b", models=["A"])
    np.testing.assert_allclose(found["A.mse"][:, :6], plain["A.mse"], rtol=1e-9)


def test_searches_say_what_was_searched(data, tmp_path):
    told = run(data, tmp_path, models=["A", "B+A", "A&B"])["searches"]
    assert told["B+A"] == {"bands": ["B", "A"], "columns": [60, 4], "gammas": 9, "tried": [9] * 6, "choices": 36,
                           "near_ties": 0}  # fmt: skip
    assert told["A&B"] == {"bands": ["A&B"], "columns": [64], "gammas": 1, "tried": [1] * 6, "choices": 36,
                           "near_ties": 0}  # fmt: skip
    observed = {"rows": 32, "folds": 6, "units": 6, "left_out": 0, "constant": 0}
    assert told["observed"] == observed


def test_float32_scores_nearly_as_float64(data, tmp_path):
    exact, near = (run(data, tmp_path / dtype, models=["A+B"], dtype=dtype) for dtype in ("float64", "float32"))
    same = exact["A+B.alpha"] == near["A+B.alpha"]
    assert same.mean() > 0.8
    np.testing.assert_allclose(near["A+B.mse"], exact["A+B.mse"], rtol=1e-3)


def test_plain_and_least_squares_of_h_never_centre_features(data, tmp_path):
    found, y = run(data, tmp_path, models=["A!plain", "A!ols"], generation=H), data.recordings[data.first :]
    x, alphas = data.features["A"][data.first :], [alpha for alpha in ALPHAS[H] if alpha > 0]
    for number in LOOKED_AT[:1]:
        test, train = halves(data)[number]
        z = (x - x[train].mean(0)) / x[train].std(0)
        table = np.zeros((len(alphas), 6))
        for held in (np.array(train)[places] for places in inner_of(number, data)):
            kept = np.setdiff1d(train, held)
            mean = y[kept].mean(0)
            fits = [Ridge(alpha=alpha, fit_intercept=False).fit(z[kept], y[kept] - mean) for alpha in alphas]
            table += [((fit.predict(z[held]) + mean - y[held]) ** 2).mean(0) / 5 for fit in fits]
        best = np.array(alphas)[table.argmin(0)]
        assert found["A!plain.alpha"][number].tolist() == best.tolist()
        np.testing.assert_allclose(found["A!plain.cv"][number], -table.min(0), rtol=1e-6)
        for model, alpha in (("A!plain", best), ("A!ols", np.full(6, 1e-12))):
            fit = Ridge(alpha=alpha, fit_intercept=False).fit(z[train], y[train] - y[train].mean(0))
            expected = ((fit.predict(z[test]) + y[train].mean(0) - y[test]) ** 2).mean(0)
            np.testing.assert_allclose(found[f"{model}.mse"][number], expected, rtol=1e-4)
    assert np.isnan(found["A!ols.cv"]).all() and not found["A!ols.alpha"].any() and not found["A!ols.gamma"].any()


def test_words_of_sentences_are_fitted_in_the_order_they_are_shuffled_to(data, tmp_path):
    data.layout, data.first = fedorenko(12), 0
    data.features = {"A": np.random.default_rng(0).normal(size=(96, 3))}
    data.recordings = data.features["A"] @ np.ones((3, 2)) + np.random.default_rng(1).normal(size=(96, 2))
    asked: dict[str, Any] = {"dataset": "fedorenko", "experiment": "", "generation": H, "errors": ["A"]}
    found = run(data, tmp_path, models=["A", "WP+A", "OASM@1.8!plain"], split="shuffled", inner_rows=32, **asked)
    order = np.random.RandomState(42).permutation(96)
    assert found["fold_of_row"][order].tolist() == [0] * 32 + [1] * 32 + [2] * 32
    np.testing.assert_allclose(found["errors/A"][order[32:64]].mean(0), found["A.mse"][1], rtol=1e-5)
    assert (found["A.mse"] < found["intercept.mse"] / 2).all()
    other = run(data, tmp_path, models=["A"], split="shuffled", inner_rows=48, **asked)
    assert (other["A.cv"] != found["A.cv"]).all() and np.array_equal(other["fold_of_row"], found["fold_of_row"])


def test_the_asked_seed_shuffles_the_rows(data, tmp_path):
    found = run(data, tmp_path, split="shuffled", seed=7)["fold_of_row"]
    names = ["-".join(label.split("-")[2:]) for label in data.layout.labels[data.first :]]
    folds = sorted({*names})  # passage and half
    drawn = np.random.RandomState(7).permutation(len(names))
    assert found.tolist() == [folds.index(names[row]) for row in drawn]


def test_the_asked_seed_draws_the_weights(data, tmp_path):
    drawn = [run(data, tmp_path / str(seed), models=["A+B"], gamma_seed=seed)["A+B.gammas"] for seed in (5, 6)]
    assert np.array_equal(drawn[0][:3], drawn[1][:3]) and (drawn[0][3:] != drawn[1][3:]).all()


def test_standing_still_counts_after_the_subsets_of_generation_p_alone():
    asked = {"dataset": "pereira", "split": "contiguous", "seed": 1, "inner_rows": 48, "iterations": 9, "gamma_seed": 1}
    for generation, first in ((P, 8), (H, 0)):
        read = request({**asked, "generation": generation, "models": ["A+B+C"]})
        assert search_settings(read, read.models[0]).stop_from == first
