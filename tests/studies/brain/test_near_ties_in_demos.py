"""The demos' own recordings: no choice of their feature spaces is a near tie, and a change of 1e-7 moves none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from harness import arrays
from harness.studies.brain.fitting.step import fit
from harness.studies.brain.simulation.maker import OUTPUTS, make
from harness.studies.brain.study import STUDY, BrainSettings
from harness.studies.study import Brief, Dataset

DEMOS = Path(__file__).parents[3] / "manifests" / "demo"


def fitted(params: dict[str, Any], inputs: dict[str, Path], out: Path) -> dict[str, Any]:
    out.mkdir()
    fit(params, inputs, out)
    return arrays.read_all(out / "fits")


@pytest.mark.long
@pytest.mark.parametrize("name", ["brain", "brain-networks", "brain-words-scans"])
def test_a_perturbation_of_1e_7_moves_no_choice_of_a_demo(tmp_path: Path, name: str) -> None:
    said = yaml.safe_load((DEMOS / f"{name}.yaml").read_text())
    of = {dataset: {key: value for key, value in told.items() if key != "make"}
          for dataset, told in said["datasets"].items()}  # fmt: skip
    datasets = tuple(Dataset(dataset, "brain.simulated", params, 0, {}) for dataset, params in of.items())
    settings = {**vars(BrainSettings()), **said["settings"]}
    plan = STUDY.plan(Brief(datasets, (), {}, {}, tuple(said["seeds"]), settings))
    source, choices = np.random.default_rng(7), 0
    for dataset, params in of.items():
        folder = tmp_path / dataset
        folder.mkdir()
        make(params, {}, folder)
        inputs = {output: folder / output for output in OUTPUTS}
        recordings = arrays.read(folder / "recordings").astype(np.float64)
        arrays.write(folder / "perturbed", recordings * (1 + 1e-7 * source.choice([-1, 1], recordings.shape)))
        for step in (one for one in plan.steps if one.name.startswith(f"fit/{dataset}/")):
            out = folder / step.name.replace("/", "-")
            usual = fitted(dict(step.params), inputs, out)
            other = fitted(
                dict(step.params), {**inputs, "recordings": folder / "perturbed"}, out.with_name(f"{out.name}-other")
            )
            for model in step.params["models"]:
                choices += usual[f"{model}.tied"].size
                assert not usual[f"{model}.tied"].any()
                for what in ("alpha", "gamma"):
                    assert np.array_equal(usual[f"{model}.{what}"], other[f"{model}.{what}"])
    assert choices > 10_000
