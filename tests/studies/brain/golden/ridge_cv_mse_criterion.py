"""Plain ridge and least squares; an alpha is right where its validation error is that of the expected one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from golden.agree import Within
from golden.case import Tally, check
from golden.files import arrays

from harness.studies.brain.standalone.pipelines import ANALYSES

NEAR = Within(1e-3)
INPUTS_OF = ("Xz", "Y", "n_train", "n_splits_kfold", "alphas_nonzero")


def read(path: Path, tally: Tally) -> None:
    given = arrays(path)
    plain = {
        name: given[name].tolist() if name.startswith("n_") else given[name] for name in INPUTS_OF if name in given
    }
    run = ANALYSES["brain.ridge_cv_mse_criterion"].run
    for name in sorted(given.keys() - {*INPUTS_OF, "best_alpha"}):
        check(tally, name, {**plain, name: given[name]}, run, INPUTS_OF, (name,), within=NEAR)
    if "best_alpha" in given and "val_mse" in given:
        table, alphas = given["val_mse"], given["alphas_nonzero"].tolist()

        def errors(asked: Mapping[str, Any]) -> Mapping[str, Any]:
            return {"error at best_alpha": at(run(asked)["best_alpha"])}

        def at(best: np.ndarray) -> list[float]:
            return [float(table[alphas.index(one), unit]) for unit, one in enumerate(best.tolist())]

        case = {**plain, "error at best_alpha": at(given["best_alpha"])}
        check(tally, "best_alpha", case, errors, INPUTS_OF, ("error at best_alpha",), within=NEAR)
