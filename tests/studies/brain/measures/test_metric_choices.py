"""Generation H chooses by each metric in each experiment, and averages what it chose together."""

from typing import Any

import numpy as np
import pytest
from studies.brain.measures.small_run import MODELS, SmallRun, group, part

from harness.studies.brain.measures import choices

NEAR: Any = {"rel": 1e-12, "abs": 1e-14}
ONLY = {("384", "r2"): "OASM@1.5", ("384", "pearson"): "OASM@2.2", ("243", "r2"): "OASM@2.2",
        ("243", "pearson"): "OASM@1.5"}  # fmt: skip


def document(tmp_path, lost=()):
    """Choose among two widths of which each is the best by one metric in one experiment."""
    run = SmallRun(tmp_path)
    for experiment in ("384", "243"):
        found = part(seed=int(experiment))
        found["intercept.mse"] = np.ones_like(found["intercept.mse"])
        for model in ("OASM@1.5", "OASM@2.2"):
            best_r2, best_r = (ONLY[experiment, metric] == model for metric in ("r2", "pearson"))
            found[f"{model}.mse"] = np.full_like(found["intercept.mse"], 0.5 if best_r2 else 0.9)
            found[f"{model}.r"] = np.full_like(found["intercept.mse"], 0.4 if best_r else 0.2)
            if experiment in lost:
                found[f"{model}.mse"], found[f"{model}.r"] = (np.full_like(found["intercept.mse"], np.nan),) * 2
        if experiment == "384":
            found["OASM@1.5.mse"][:, :2] = 0.2  # a participant who is better in this experiment
        run.add(group(experiment=experiment, models=MODELS), found)
    return run.run(choices.analyse, "choices", "H")["exp1"]["contiguous"]["OASM"]


def test_each_experiment_has_its_own_best_width_by_each_metric(tmp_path):
    told = document(tmp_path)["by_metric"]
    for metric in ("r2", "pearson"):
        assert told[metric]["chosen"] == {experiment: ONLY[experiment, metric] for experiment in ("384", "243")}
    people = [(0.8 + 0.5) / 2, 0.5, 0.5]  # each the mean of two experiments
    assert told["r2"]["score"] == pytest.approx(np.mean(people), **NEAR)
    assert told["pearson"]["score"] == pytest.approx(0.4, **NEAR)


def test_one_width_of_both_experiments_scores_less_and_stands_beside(tmp_path):
    own = document(tmp_path)
    assert own["published"]["chosen"] == "OASM@1.5" and own["published"]["r2"] < own["by_metric"]["r2"]["score"]


def test_an_experiment_without_any_score_leaves_none_together(tmp_path):
    told = document(tmp_path, lost=("243",))["by_metric"]
    assert told["r2"] == {"chosen": {"384": "OASM@1.5", "243": None}, "score": None, "near_ties": 0}
