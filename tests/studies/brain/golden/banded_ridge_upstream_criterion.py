"""Banded ridge by upstream's criterion, over the features and targets of the authors' file beside it."""

from __future__ import annotations

from pathlib import Path

from golden.agree import Within
from golden.case import Tally, check
from golden.files import arrays

from harness.studies.brain.standalone.ridge import ANALYSES

INPUTS = ("banded_ridge_author_criterion.npz",)
NEAR = Within(1e-6)
SHARED = ("Xz", "Y", "n_train", "space_dims", "n_splits_kfold", "alphas")
OUTPUTS = ("deltas", "weights", "intercept", "cv_scores_neg_mse", "pred_test", "r2_oos_test")


def read(path: Path, tally: Tally) -> None:
    beside = arrays(path.with_name(INPUTS[0]))
    case = {**{name: beside[name] for name in SHARED if name in beside}, **arrays(path)}
    run = ANALYSES["brain.banded_ridge_upstream_criterion"].run
    check(tally, "the file", case, run, (*SHARED, "gammas_positive"), OUTPUTS, within=NEAR)
