"""The documents of scores over what a fit step really leaves, held against the squared errors of every row."""

import shutil

import numpy as np
import pytest
from studies.brain.fitting.small_fit import SmallData
from studies.brain.fitting.small_fit import run as fitted

from harness import rows
from harness.studies.brain.measures import choices, omega, performance, stars

MODELS = ["OASM@1.0", "OASM@2.2", "SP", "LLM", "SP+LLM"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Two splits of small recordings, one unit of which took no part and one of which is constant."""
    place = tmp_path_factory.mktemp("fits")
    data = SmallData()
    data.features = {"LLM": data.features["B"]}
    data.recordings[data.first :, 3] = 1.7
    data.recordings[:, 5] = np.nan
    (place / "fits").mkdir()
    groups, errors = [], {}
    for number, split in enumerate(("contiguous", "shuffled")):
        of_rows = fitted(data, place / split, split=split, iterations=3, models=MODELS, errors=[*MODELS, "intercept"])
        errors[split] = {name.removeprefix("errors/"): each for name, each in of_rows.items() if "errors/" in name}
        shutil.copy(place / split / "out" / "fits", place / "fits" / rows.part_name(number))
        groups.append({"dataset": "small", "experiment": "384", "world": "", "split": split, "layout": "pereira",
                       "models": MODELS, "text_models": []})  # fmt: skip
    params = {"generation": "P", "groups": groups, "datasets": ["small"]}
    inputs = {"fits": place / "fits", "units-small": place / "contiguous" / "units"}
    for each in (performance, choices, stars, omega):
        each.analyse(params, inputs, place)

    def read(name):
        return next(rows.read(place / name))

    return read, errors


@pytest.mark.parametrize("split", ["contiguous", "shuffled"])
@pytest.mark.parametrize("model", MODELS)
def test_r2_of_pooled_folds_is_that_of_all_rows(run, split, model):
    read, errors = run
    own = read("performance")["datasets"]["small"]["splits"][split][model]
    took_part = [0, 1, 2, 4]
    model_errors, mean_errors = (errors[split][name][:, took_part].sum(0) for name in (model, "intercept"))
    r2 = np.clip(1 - model_errors / mean_errors, 0, None)
    assert own["r2"] == pytest.approx(r2.sum() / 5, rel=1e-5, abs=1e-7)  # the constant unit is one of five
    assert own["participants"]["018"]["units"] == 5
    assert own["degenerate"] == 1


def test_every_document_of_a_real_fit_has_its_parts(run):
    read, _ = run
    assert [row["name"] for row in read("stars")["small"]["shuffled"]] == ["SP+LLM*"]
    assert [row["simple"] for row in read("omega")["small"]["contiguous"]] == ["SP"]
    own = read("choices")["small"]["shuffled"]["OASM"]
    assert len(own["nested"]["chosen"]) == 6
    assert own["correlation"]["all"]["points"] == 2
