"""The step that fits by himalaya: its files are those of ours, choices equal and scores within 1e-9."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from needs import needs
from studies.brain.fitting.small_fit import SmallData, run

from harness.errors import InputError
from harness.studies.brain.terms import H, P

needs("himalaya", "torch")
SOLVERS = ["himalaya", "himalaya-torch"]


def require_alike(ours: dict[str, Any], its: dict[str, Any]) -> None:
    assert list(ours) == list(its) and ours["searches"] == its["searches"]
    for name, array in ours.items():
        if name != "searches":
            assert its[name].dtype == array.dtype and its[name].shape == array.shape, name
            exact = array.dtype.kind in "ib" or name.endswith((".alpha", ".gammas"))
            scale = 0 if exact else 1e-9 if array.dtype == np.float64 else 1e-6  # squared errors are kept in float32
            np.testing.assert_allclose(its[name], array, rtol=scale, atol=scale, err_msg=name)


@pytest.mark.long
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("generation", "split", "models"),
    [
        (P, "contiguous", ["A", "A+B"]),
        (P, "shuffled", ["A&B", "SP+SL+A"]),
        (H, "contiguous", ["A+B", "A!plain", "A&B!plain", "A!ols"]),
    ],
)
def test_the_files_are_those_of_ours(
    tmp_path: Path, generation: str, split: str, models: list[str], solver: str
) -> None:
    data = SmallData()
    data.recordings[:, 3] = 7  # never changes
    data.recordings[:, 4] = np.nan  # did not take part
    asked = {"generation": generation, "split": split, "models": models, "errors": models}
    ours, its = run(data, tmp_path / "ours", **asked), run(data, tmp_path / "its", **asked, solver=solver)
    require_alike(ours, its)
    assert (ours[f"{models[0]}.alpha"][:, 0] < 2**20).any()  # something is fitted
    facts = json.loads((tmp_path / "its" / "out" / "facts.json").read_text())
    assert facts["himalaya"].endswith({"himalaya": ", numpy", "himalaya-torch": ", torch"}[solver])


@pytest.mark.parametrize(("value", "told"), [(np.inf, "unit '018.2'"), (1e30, "unit '018.2'")])
def test_values_that_cannot_be_fitted_are_named_as_by_ours(tmp_path: Path, value: float, told: str) -> None:
    data = SmallData()
    data.recordings[data.first + 5, 2] = value
    with pytest.raises(InputError, match=told):
        run(data, tmp_path, solver="himalaya")


def test_float32_is_refused_by_the_step_too(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="err by more than what counts as equal"):
        run(SmallData(), tmp_path, solver="himalaya", dtype="float32")
