"""The standalone analyses of scores: R2 and r by other people's functions, and what they refuse."""

import numpy as np
import pytest
import scipy
from needs import OnceUsed
from support_cases import each_of

from harness.errors import InputError
from harness.studies.brain.standalone import averages, scores

metrics = OnceUsed("sklearn.metrics")
ANALYSES = {**averages.ANALYSES, **scores.ANALYSES}
WHO = {"participants": ["a", "b"], "generation": "P"}


def run(name, **given):
    return ANALYSES[f"brain.{name}"].run(given)


def predictions(rows=12, units=3):
    y = np.random.default_rng(5).normal(3, 1, (rows, units))
    return y, y + np.random.default_rng(6).normal(0, 0.5, (rows, units))


def test_r2_is_held_against_the_mean_of_the_training_rows_of_each_fold():
    y, y_hat = predictions()
    found = run("r2_oos_pearson", y=y, y_hat=y_hat, fold_sizes=np.array([5, 7]))
    means = np.concatenate([np.tile(y[5:].mean(0), (5, 1)), np.tile(y[:5].mean(0), (7, 1))])
    assert found["r2_oos"] == pytest.approx(1 - ((y - y_hat) ** 2).sum(0) / ((y - means) ** 2).sum(0), rel=1e-12)
    assert abs(found["r2_oos"] - metrics.r2_score(y, y_hat, multioutput="raw_values")).max() > 1e-3
    expected = np.mean([[scipy.stats.pearsonr(y[rows, 1], y_hat[rows, 1])[0]] for rows in (slice(5), slice(5, 12))])
    assert found["pearson_fold_mean"][1] == pytest.approx(expected, rel=1e-9)
    assert found["se_intercept"] == pytest.approx((y - means) ** 2, rel=1e-9)


def test_a_constant_recording_has_no_r2_even_where_its_mean_is_rounded():
    y, y_hat = predictions()
    y[:, 0] = y[:, 1] = 0.1  # whose sum over rows is no multiple of it
    y_hat[:, 1] = 0.1
    found = run("r2_oos_pearson", y=y, y_hat=y_hat, fold_sizes=np.array([3, 9]))
    assert found["mse_intercept_per_fold"][:, :2].tolist() == [[0, 0], [0, 0]]
    assert found["r2_oos"][0] == -np.inf
    assert np.isnan(found["r2_oos"][1])
    assert found["pearson_fold_mean"][:2].tolist() == [0, 0]


def test_half_precision_and_fortran_order_give_the_same_as_float64():
    y, y_hat = (np.asarray(one, np.float16) for one in predictions())
    found = run("r2_oos_pearson", y=np.asfortranarray(y), y_hat=y_hat, fold_sizes=np.array([5, 7]))
    wide = run("r2_oos_pearson", y=y.astype(float), y_hat=y_hat.astype(float), fold_sizes=np.array([5, 7]))
    assert found["r2_oos"].tolist() == wide["r2_oos"].tolist()


@each_of(
    ("changed", "words"),
    [
        ({"y_hat": np.ones((12, 2))}, "[12, 2]"),
        ({"fold_sizes": np.array([5, 6])}, "fold_sizes"),
        ({"fold_sizes": np.array([12, 0])}, "fold_sizes"),
        ({"fold_sizes": np.array([5.0, 7.0])}, "fold_sizes"),
        ({"y": np.full((12, 3), np.nan)}, "`y`"),
        ({"y_hat": np.ones(12)}, "y_hat"),
    ],
)
def test_arrays_that_do_not_fit_are_refused_by_name(changed, words):
    y, y_hat = predictions()
    given = {"y": y, "y_hat": y_hat, "fold_sizes": np.array([5, 7]), **changed}
    with pytest.raises(InputError) as bad:
        run("r2_oos_pearson", **given)
    assert words in str(bad.value)


def omega_rows(**scores):
    return [
        {"subjects": name, "Model": model, "perf": value}
        for name, three in scores.items()
        for model, value in zip(("Simple", "LLM", "Banded"), three, strict=True)
    ]


def omegas(**scores):
    found = run("omega_star", omega_input=omega_rows(**scores))
    return {row["subjects"]: row["metric"] for row in found["omega_output"]}


def test_omega_is_the_share_that_the_simple_model_explains_already():
    assert omegas(a=(0.1, 0.2, 0.25), b=(0.1, 0.2, 0.15), c=(0.0, 0.2, 0.5), d=(0.3, 0.2, 0.2)) == pytest.approx(
        {"a": 25.0, "b": 50.0, "c": 0.0, "d": 100.0}
    )


@pytest.mark.parametrize("llm", [0, 0.0, -0.1])
def test_omega_is_100_where_the_llm_explains_nothing(llm):
    assert omegas(a=(0.3, llm, 0.1)) == {"a": 100.0}


@each_of("place", [0, 1, 2])
@each_of("odd", ["nan", "inf", "-inf"])
def test_a_participant_with_a_score_that_is_not_finite_has_no_omega(place, odd):
    scores = [0.1, 0.2, 0.25]
    scores[place] = odd
    assert omegas(a=scores, b=(0.1, 0.2, 0.25)) == pytest.approx({"b": 25.0})


@each_of(
    ("given", "words"),
    [
        (omega_rows(a=(0.1, 0.2, 0.3))[:2], "Banded"),
        (omega_rows(a=(0.1, 0.2, 0.3)) * 2, "two scores"),
        ([{"subjects": "a", "Model": "Other", "perf": 1}], "Model"),
        (omega_rows(a=(0.1, True, 0.3)), "perf"),
        (omega_rows(a=(0.1, 10**400, 0.3)), "perf"),
        (omega_rows(a=(0.1, "0.2", 0.3)), "perf"),
        ([{"subjects": [], "Model": "LLM", "perf": 1}], "subjects"),
    ],
)
def test_rows_of_omega_that_do_not_fit_are_refused(given, words):
    with pytest.raises(InputError) as bad:
        run("omega_star", omega_input=given)
    assert words in str(bad.value)


@each_of(
    ("name", "given", "words"),
    [
        ("aggregate", {**WHO, "scores": [0.1]}, "participants"),
        ("aggregate", {**WHO, "scores": [0.1, "x"]}, "scores[1]"),
        ("aggregate", {**WHO, "scores": 0.1}, "scores"),
        ("aggregate", {**WHO, "scores": [0.1, 0.2], "networks": ["language"]}, "networks"),
        ("aggregate", {**WHO, "scores": [0.1, 0.2], "generation": "Q"}, "generation"),
        ("layer_choice", {"scores": [[0.1], [0.1, 0.2]], "generation": "P"}, "unequal"),
        ("layer_choice", {"scores": [], "generation": "P"}, "levels"),
        ("star", {"scores": {"SP": [0.1]}, "spaces": ["SL"]}, "subset"),
        ("star", {"scores": {"SP": [0.1], "SL": [0.1, 0.2]}}, "scores"),
        ("nested_choice", {"inner": [[[0.1]]], "mse": [[[1], [2]]], "mse_intercept": [[1]], "fold_rows": [3],
                           "generation": "P"}, "inner"),
        ("nested_choice", {"inner": [[["nan"]]], "mse": [[[1]]], "mse_intercept": [[1]], "fold_rows": ["nan"],
                           "generation": "P"}, "fold_rows"),
        ("layer_curves", {"shuffled": [0.1], "contiguous": [0.1, 0.2]}, "contiguous"),
    ],
)  # fmt: skip
def test_what_averages_cannot_be_made_of_is_refused(name, given, words):
    with pytest.raises(InputError) as bad:
        run(name, **given)
    assert words in str(bad.value)


def test_curves_that_are_constant_or_short_have_no_correlation():
    found = run("layer_curves", shuffled=[0.1, 0.2, 0.3, 0.4], contiguous=[0.2, 0.2, 0.2, 0.2])["all"]
    assert (found["pearson"], found["spearman"], found["points"]) == (None, None, 4)
    line = run("layer_curves", shuffled=[0.1, 0.2, 0.3, 0.4], contiguous=[0.4, 0.1, 0.2, 0.9])["all"]
    assert line["steps_pearson"] is None  # a line's steps differ by their rounding alone
    assert run("layer_curves", shuffled=[0.1, 0.2], contiguous=[0.3, 0.1])["all"]["pearson"] is None
