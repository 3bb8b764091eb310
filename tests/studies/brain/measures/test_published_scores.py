"""The repository's published scores (generation H), averaged and correlated again; they are no part of this project."""

import csv

import numpy as np
import pytest
import support

from harness.studies.brain.measures.aggregation import UnitTable, aggregate
from harness.studies.brain.measures.curves import with_and_without_first

PUBLISHED = support.REPOSITORY.parent / "shared" / "data" / "brain" / "published"
if not PUBLISHED.is_dir():
    pytest.skip("the published scores are not here", allow_module_level=True)
# Units of each participant in the published file of the language network, in its order; facts, 1.1.
VOXELS = dict.fromkeys(("018", "199", "215", "289", "343", "366", "407", "426"), 1358) | {"288": 1352, "296": 1337}


def listed(name):
    with (PUBLISHED / name).open(newline="") as file:
        return list(csv.DictReader(file))


def people(names):
    names = tuple(names)
    return UnitTable(names, ("language",) * len(names), ("",) * len(names), (True,) * len(names))


def test_participants_of_blank_are_the_means_of_their_units():
    found = listed("figure6_results_combined_blank_pearson_r.csv")
    expected = {(row["subjects"], row["Model"]): float(row["perf"]) for row in listed("figure6_blank_pearson_r.csv")}
    for model in sorted({row["Model"] for row in found}):
        own = [row for row in found if row["Model"] == model]
        averaged = aggregate(np.array([float(row["perf"]) for row in own]), people(row["subjects"] for row in own), "H")
        for name, value in averaged.participants.items():
            assert value == pytest.approx(expected[name, model], rel=1e-12)


def test_units_without_a_score_are_dropped_as_the_repository_does():
    with np.load(PUBLISHED / "figure2_gpt2xl_combined-sp_pereira_out_of_sample_r2.npz", allow_pickle=False) as file:
        scores = file["-sp"]
    averaged = aggregate(scores, people(name for name in sorted(VOXELS) for _ in range(VOXELS[name])), "H")
    found = {name: round(averaged.participants[name], 6) for name in ("343", "366", "407")}
    assert found == {"343": 0.132881, "366": 0.137139, "407": 0.138251}
    assert averaged.degenerate == int(np.isnan(scores).sum()) == 36


@pytest.mark.parametrize(("pooling", "whole"), [("-sp", -0.9404), ("", -0.665), ("-mp", -0.923)])
def test_layers_are_correlated_as_published(pooling, whole):
    curves = [
        {int(row["layer_num"]): float(row["perf"]) for row in listed(name) if row["Model"] == f"GPT2-XL{pooling}"}
        for name in ("figure2_pereira_out_of_sample_r2_shuffled_384.csv", "figure2_pereira_out_of_sample_r2_384.csv")
    ]
    layers = sorted(curves[0])
    found = with_and_without_first(layers, *([curve[layer] for layer in layers] for curve in curves))
    assert found["all"]["points"] == 49
    assert found["all"]["pearson"] == pytest.approx(whole, abs=5e-4)
    if not pooling:  # the correlation hangs on layer 0; facts, 10
        assert found["without_layer_0"]["pearson"] == pytest.approx(-0.961, abs=5e-4)
        assert found["all"]["steps_pearson"] == pytest.approx(0.74, abs=5e-3)
