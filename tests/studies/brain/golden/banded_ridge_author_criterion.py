"""Banded ridge by the authors' criterion: a case for each set of weights, found by its name."""

from __future__ import annotations

from pathlib import Path

from golden.agree import Within
from golden.case import Tally, check
from golden.files import arrays

from harness.studies.brain.standalone.ridge import ANALYSES, ENDING

NEAR = Within(1e-6)
SHARED = ("Xz", "Y", "n_train", "space_dims", "n_splits_kfold", "alphas")
OUTPUTS = ("deltas", "weights", "intercept", "cv_scores", "pred_test", "r2_oos_test")


def read(path: Path, tally: Tally) -> None:
    given = arrays(path)
    run = ANALYSES["brain.banded_ridge_author_criterion"].run
    for name in sorted(key.removesuffix(ENDING) for key in given if key.endswith(ENDING)):
        inputs = (*SHARED, f"{name}{ENDING}")
        outputs = tuple(f"{name}_{key}" for key in OUTPUTS)
        case = {key: given[key] for key in (*inputs, *outputs) if key in given}
        check(tally, name, case, run, inputs, outputs, within=NEAR)
