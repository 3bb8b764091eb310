"""The step that makes simulated data, by what it writes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support_draws import drawn

from harness import arrays, rows
from harness.errors import InputError
from harness.studies.brain.features.spaces import Features
from harness.studies.brain.rowtypes import RecordedUnit, Stimulus
from harness.studies.brain.simulation.maker import OUTPUTS, make
from harness.studies.brain.simulation.world import Array
from harness.studies.brain.structure.folds import outer_folds
from harness.studies.brain.structure.layout import layout as layout_of
from harness.studies.brain.structure.others import blank, fedorenko
from harness.studies.brain.structure.pereira import pereira


def made(folder: Path, **params: Any) -> Path:
    folder.mkdir(exist_ok=True)
    make({"seed": 1, "units": 15, "participants": 2, **params}, {}, folder)
    return folder


def stimuli(folder: Path) -> list[Stimulus]:
    return list(rows.read(folder / "stimuli", Stimulus))


def units(folder: Path) -> list[RecordedUnit]:
    return list(rows.read(folder / "units", RecordedUnit))


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("params", "there"),
    drawn(
        [
            ({}, pereira("384")),
            ({"experiment": "243"}, pereira("243")),
            ({"experiment": ""}, pereira()),
            ({"layout": "fedorenko"}, fedorenko()),
            ({"layout": "blank"}, blank()),
        ],
        2,
        5,
    ),
)
def test_stimuli_stand_as_the_real_ones_do(tmp_path: Path, params: dict[str, Any], there: Any) -> None:
    found = layout_of(there.dataset, stimuli(made(tmp_path, **params)))
    for name in ("ids", "labels", "blocks", "positions", "experiments"):
        assert getattr(found, name) == getattr(there, name)


def test_a_stimulus_of_pereira_says_all_of_its_row(tmp_path: Path) -> None:
    one = stimuli(made(tmp_path))[2]
    assert one["words"] == len(one["text"].split())
    assert {**one, "text": "", "words": 0} == {
        "id": "384-animal-0-2", "label": "384-animal-0-fh", "block": "384-animal-0", "position": 2, "text": "",
        "experiment": "384", "words": 0,
    }  # fmt: skip


def test_both_networks_have_units_without_signal(tmp_path: Path) -> None:
    found = units(made(tmp_path, units=60, participants=4))
    assert Counter(unit["participant"] for unit in found) == dict.fromkeys(["sim1", "sim2", "sim3", "sim4"], 60)
    assert Counter((unit["network"], unit["signal"]) for unit in found) == {
        ("language", True): 128, ("language", False): 32, ("DMN", True): 64, ("DMN", False): 16,
    }  # fmt: skip
    assert len({unit["id"] for unit in found}) == 240


def test_arrays_have_the_rows_of_the_stimuli_and_columns_of_the_units(tmp_path: Path) -> None:
    folder = made(tmp_path, layout="fedorenko")
    assert arrays.read_headers(folder / "recordings")[""].shape == (416, 30)
    assert {name: head.shape for name, head in arrays.read_headers(folder / "features").items()} == {
        "WORD": (416, 40), "LLM": (416, 300), "LLMU": (416, 300), "NOISE": (416, 300),
    }  # fmt: skip


def test_what_is_made_goes_into_features_and_folds(tmp_path: Path) -> None:
    folder = made(tmp_path, categories=6)
    said = stimuli(folder)
    layout = layout_of("pereira", said)
    features = Features(layout, said, arrays.read_all(folder / "features"))
    assert features.matrix("SL")[:, 0].tolist() == [row["words"] for row in said]
    assert features.matrix("LLM").shape == (96, 300)
    assert Counter(label[-2:] for label in layout.labels) == {"fh": 48, "sh": 48}
    assert [len(fold.test) for fold in outer_folds(layout, "shuffled")] == [12] * 8


def read(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in OUTPUTS}


@pytest.mark.exhaustive
@pytest.mark.parametrize("layout", drawn(["pereira", "fedorenko", "blank"], 1, 3))
def test_the_same_seed_gives_the_same_bytes(tmp_path: Path, layout: str) -> None:
    one, same = (read(made(tmp_path / name, layout=layout)) for name in "ab")
    other = read(made(tmp_path / "c", layout=layout, seed=2))
    assert one == same
    assert all(one[name] != other[name] for name in ("stimuli", "recordings", "features"))


@pytest.mark.exhaustive
@pytest.mark.parametrize("layout", drawn(["pereira", "fedorenko", "blank"], 1, 3))
def test_both_worlds_have_the_same_texts_and_features(tmp_path: Path, layout: str) -> None:
    one, other = (read(made(tmp_path / world, layout=layout, world=world)) for world in ("default", "topic"))
    assert {name for name in OUTPUTS if one[name] != other[name]} == {"recordings", "counts"}


def test_a_weight_by_its_name_changes_the_units_alone(tmp_path: Path) -> None:
    one, other = read(made(tmp_path / "a")), read(made(tmp_path / "b", context="0.6"))
    assert {name for name in OUTPUTS if one[name] != other[name]} == {"recordings"}


def test_counts_say_what_was_made_and_by_which_version(tmp_path: Path) -> None:
    [counts] = rows.read(made(tmp_path, world="topic") / "counts")
    assert counts == {
        "version": "simulation-1", "layout": "pereira", "world": "topic", "rows": 384, "blocks": 96, "categories": 24,
        "passages": 96, "participants": 2, "units": 30, "language": 20, "signal": 24,
    }  # fmt: skip


def test_recordings_are_finite_and_of_single_precision(tmp_path: Path) -> None:
    found: Array = arrays.read(made(tmp_path, layout="blank") / "recordings")
    assert found.dtype == np.float32
    assert np.isfinite(found).all()


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"layout": "hcp"}, "layout"), ({"world": "real"}, "world"), ({"experiment": "180"}, "pereira"),
        ({"categories": 1}, "categories"), ({"categories": 25}, "categories"), ({"units": 0}, "units"),
        ({"participants": 0}, "units"), ({"units": 10**9}, "units"), ({"context": "-1"}, "context"),
        ({"layout": "blank", "categories": 3}, "categories"), ({"seed": -1}, "seed"),
    ],
)  # fmt: skip
def test_what_there_cannot_be_is_refused_by_its_name(tmp_path: Path, params: dict[str, Any], named: str) -> None:
    with pytest.raises(InputError) as refused:
        made(tmp_path, **params)
    assert named in refused.value.where
    assert refused.value.next
