"""What no analysis can use is refused by the caller's own field, and numbers at the edge of a float do no harm."""

import math

import numpy as np
import pytest

from harness.errors import InputError
from harness.studies.brain.standalone.catalogue import ANALYSES
from harness.verbs import measuring


def run(name, given):
    return ANALYSES[f"brain.{name}"].run(given)


def stats(**changed):
    draw = np.random.default_rng(3)
    errors = {f"se_{name}": draw.random((6, 4)) for name in ("intercept", "simple", "llm", "full")}
    whose = {"subject": ["b", "a", "b", "a"], "network": ["language"] * 4, "block_label": [1, 1, 2, 2, 3, 3]}
    return {**errors, **whose, **changed}


def pipeline(**changed):
    draw = np.random.default_rng(4)
    given = {"pereira243_X": draw.normal(size=(243, 2)), "pereira243_y": draw.normal(size=(243, 2)), "alphas": [1.0]}
    return {**given, **changed}


def banded(gammas):
    draw = np.random.default_rng(5)
    tables = {"Xz": draw.normal(size=(12, 4)), "Y": draw.normal(size=(12, 2))}
    return {**tables, "n_train": 9, "space_dims": [2, 2], "n_splits_kfold": 3, "alphas": [1.0], "a_gammas": gammas}


def nested(rows):
    table = np.random.default_rng(6).random((2, 3, 2)).tolist()
    return {"inner": table, "mse": table, "mse_intercept": table[0], "fold_rows": rows, "generation": "P"}


def plain(**changed):
    draw = np.random.default_rng(7)
    given = {"Xz": draw.normal(size=(12, 4)), "Y": draw.normal(size=(12, 2))}
    return {**given, "n_train": 9, "n_splits_kfold": 3, "alphas_nonzero": [1.0], **changed}


TWO = {"errors": np.ones((4, 2)), "against": np.ones((4, 2))}
OMEGA = {"star_input": {"a": [1], "b": [1, 2]}}
WORDS = np.full((243, 2), "0.5")
REFUSED = [
    ("stats_ttest_fdr", stats(subject=[1, "a", 1, "a"]), "subject", "not all texts, nor all numbers"),
    ("stats_ttest_fdr", stats(subject=[[1], [2], [1], [2]]), "subject", "not all texts"),
    ("stats_ttest_fdr", stats(subject=[None] * 4), "subject", "not all texts"),
    ("stats_ttest_fdr", stats(subject=[1.0, math.nan, 1.0, 2.0]), "subject", "not all texts"),
    ("stats_ttest_fdr", stats(block_label=[[1], [2, 3], 1, 1, 1, 1]), "block_label", "another kind"),
    ("stats_ttest_fdr", stats(block_label=[True] * 6), "block_label", "another kind"),
    ("stats_ttest_fdr", stats(block_label=[math.nan] * 6), "block_label", "another kind"),
    ("stats_ttest_fdr", stats(se_full="x"), "se_full", "numbers, with null where there is none"),
    ("block_test", {**TWO, "labels": [[1], [2, 3], 1, 1]}, "labels", "another kind"),
    ("block_test", {**TWO, "stories": ["a"]}, "stories", "1 labels"),
    ("block_test", {**TWO, "order": [0]}, "order", "there are none"),
    ("fdr", {"p": [0.1], "participants": [], "networks": ["x"]}, "participants", "0 participants"),
    ("test_size", {"layout": "fedorenko", "alphas": ["9" * 400]}, "alphas", "no number above 0"),
    ("test_size", {"layout": "fedorenko", "alphas": ["1"] * 101}, "alphas", "101 penalties"),
    ("r2_oos_pearson", {"y": [[1.0]], "y_hat": [[1.0]], "fold_sizes": []}, "fold_sizes", "no fold"),
    ("omega_star", OMEGA, "star_input", "scores of 2 models"),
    ("nested_choice", nested([1.5, 2, 2]), "fold_rows", "numbers of rows"),
    ("nested_choice", nested(["inf", 2, 2]), "fold_rows", "numbers of rows"),
    ("features_oasm_wp", {"block_n4_sigma1001": 0}, "block_n4_sigma1001", "the sigma is 1001"),
    ("features_oasm_wp", {"blank_ramp_n4_L1": 0}, "blank_ramp_n4_L1", "the length 1"),
    ("folds", {"blank_shuffled_seed4294967296": 0}, "blank_shuffled_seed4294967296", "the seed"),
    ("folds", {"fedorenko_contiguous_inner0": 0}, "fedorenko_contiguous_inner0", "0 rows"),
    ("pipeline_single_space", pipeline(pereira243_X=WORDS), "pereira243_X", "no table"),
    ("pipeline_single_space", pipeline(pereira243_X=WORDS.tolist()), "pereira243_X", "no table"),
    ("pipeline_single_space", pipeline(pereira243_y=np.ones((243, 2), complex)), "pereira243_y", "no table"),
    ("pipeline_single_space", pipeline(pereira243_y=np.ones((200, 2))), "pereira243_y", "200 rows"),
    ("pipeline_single_space", pipeline(pereira243_y=np.full((243, 2), 1e300)), "pereira243_y", "beyond float32"),
    ("pipeline_single_space", pipeline(pereira243_r2_contiguous_inner48=0), "pereira243_r2_contiguous_inner48", "size"),
    ("banded_ridge_author_criterion", banded([["1", "0"]]), "a_gammas", "no table"),
    ("banded_ridge_author_criterion", banded(np.array([[1 + 1j, 0]])), "a_gammas", "no table"),
    ("ridge_cv_mse_criterion", plain(Xz=np.random.default_rng(1).normal(size=(12, 4)) * 1e200), "Xz", "beyond float64"),
]


@pytest.mark.parametrize(("name", "given", "where", "told"), REFUSED)
@pytest.mark.filterwarnings("error")
def test_bad_input_is_refused_by_its_field(name, given, where, told):
    with pytest.raises(InputError) as bad:
        run(name, given)
    assert bad.value.where == where and told in bad.value.what and bad.value.next


def test_a_mean_of_scores_whose_sum_is_no_float_is_still_their_mean():
    given = {"scores": [1.5e308, 1.5e308, 1e308], "participants": ["a", "a", "b"]}
    for generation in ("P", "H"):
        found = run("aggregate", {**given, "generation": generation})
        assert found["score"] == pytest.approx(1.25e308, rel=1e-12)
    assert run("layer_choice", {"scores": [[1.7e308] * 3, [1, 2, 3]], "generation": "P"})["chosen"] == 0


@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_curves_of_any_size_correlate_as_small_ones_do(size):
    one, other = [1.0, -3.0, 0.5, 2.0], [2.0, 1.0, 4.0, 4.5]
    small = run("layer_curves", {"shuffled": one, "contiguous": other})
    found = run("layer_curves", {"shuffled": [size * value for value in one], "contiguous": other})
    assert found["all"] == pytest.approx(small["all"], rel=1e-9)


def test_steps_between_the_largest_floats_have_a_correlation():
    found = run("layer_curves", {"shuffled": [1.5e308, -1.5e308, 0, 1.5e308], "contiguous": [3.0, -3.0, 0.0, 3.0]})
    assert found["all"]["steps_pearson"] == pytest.approx(1.0)


def test_a_width_may_have_as_many_decimals_as_python_writes():
    name = f"block_n5_sigma{0.1 + 0.2}"
    assert name == "block_n5_sigma0.30000000000000004" and run("features_oasm_wp", {name: 0})[name].shape == (5, 5)


def test_participants_may_be_numbers():
    found = run("stats_ttest_fdr", stats(subject=[20, 3, 20, 3]))
    assert found["plain_subject"] == [3, 3, 20, 20]


def test_too_long_a_list_in_a_file_is_refused_by_its_field(tmp_path):
    np.savez(tmp_path / "a.npz", scores=np.zeros(100_001))
    with pytest.raises(InputError) as bad:
        measuring.analysis_fields(ANALYSES["brain.aggregate"].takes, tmp_path / "a.npz", None, {})
    assert bad.value.where == "scores" and bad.value.next == "give fewer"
