"""R2 out of sample and Pearson's r over folds of consecutive rows, with a constant prediction and a constant target."""

from __future__ import annotations

from pathlib import Path

from golden.agree import Within
from golden.case import Tally, check
from golden.files import arrays

from harness.studies.brain.standalone.scores import ANALYSES

FILES = ("r2_oos_pearson*.npz",)
INPUTS_OF = ("y", "y_hat", "fold_sizes")
OUTPUTS = (
    "mse_model_per_fold", "mse_intercept_per_fold", "se_intercept", "pooled_mse_model", "pooled_mse_intercept",
    "r2_oos", "pearson_fold_mean",
)  # fmt: skip


def read(path: Path, tally: Tally) -> None:
    run = ANALYSES["brain.r2_oos_pearson"].run
    check(tally, "the file", arrays(path), run, INPUTS_OF, OUTPUTS, within=Within(1e-6, 1e-6))
