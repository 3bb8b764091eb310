"""The demos' own recordings: no choice of their feature spaces is a near tie, and a change of 1e-7 moves none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from support_draws import drawn

from harness import arrays
from harness.kit.study import Brief, Dataset
from harness.studies.brain.fitting.step import fit
from harness.studies.brain.simulation.maker import OUTPUTS, make
from harness.studies.brain.study import STUDY, BrainSettings

DEMOS = Path(__file__).parents[3] / "manifests" / "demo"
MANIFESTS = {name: yaml.safe_load((DEMOS / f"{name}.yaml").read_text())
             for name in ("brain", "brain-networks", "brain-words-scans")}  # fmt: skip


def fitted(params: dict[str, Any], inputs: dict[str, Path], out: Path) -> dict[str, Any]:
    out.mkdir()
    fit(params, inputs, out)
    return arrays.read_all(out / "fits")


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "dataset"), drawn(((name, dataset) for name, said in MANIFESTS.items() for dataset in said["datasets"]), 1)
)
def test_a_perturbation_of_1e_7_moves_no_choice_of_a_demo(tmp_path: Path, name: str, dataset: str) -> None:
    said = MANIFESTS[name]
    params = {key: value for key, value in said["datasets"][dataset].items() if key != "make"}
    settings = {**vars(BrainSettings()), **said["settings"]}
    brief = Brief((Dataset(dataset, "brain.simulated", params, 0, {}),), (), {}, {}, tuple(said["seeds"]), settings)
    source, choices = np.random.default_rng(7), 0
    (made := tmp_path / "made").mkdir()
    make(params, {}, made)
    inputs = {output: made / output for output in OUTPUTS}
    recordings = arrays.read(made / "recordings").astype(np.float64)
    arrays.write(made / "perturbed", recordings * (1 + 1e-7 * source.choice([-1, 1], recordings.shape)))
    for step in (one for one in STUDY.plan(brief).steps if one.name.startswith(f"fit/{dataset}/")):
        out = tmp_path / step.name.replace("/", "-")
        usual = fitted(dict(step.params), inputs, out)
        other = fitted(
            dict(step.params), {**inputs, "recordings": made / "perturbed"}, out.with_name(f"{out.name}-other")
        )
        for model in step.params["models"]:
            choices += usual[f"{model}.tied"].size
            assert not usual[f"{model}.tied"].any()
            for what in ("alpha", "gamma"):
                assert np.array_equal(usual[f"{model}.{what}"], other[f"{model}.{what}"])
    assert choices > 4_000
