"""Layers of a text model that came in parts are those of one file; parts that do not belong together are refused."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from harness import arrays, rows
from harness.errors import InputError
from harness.rows import part_name
from harness.studies.brain.fitting.matrices import feature_arrays
from harness.studies.brain.structure.pereira import designed

LAYOUT = designed({"384": {"ant": (3, 4), "bee": (2,)}})
STIMULI: list[Any] = [
    {"id": id, "label": label, "block": block, "position": position, "text": "words"}
    for id, label, block, position in zip(LAYOUT.ids, LAYOUT.labels, LAYOUT.blocks, LAYOUT.positions, strict=True)
]
IDS = [row["id"] for row in STIMULI]
LAYERS = {f"tiny.layer-0{layer}.npy": layer for layer in (0, 3)}
VALUES = np.random.default_rng(7).normal(size=(4, len(IDS), 5)).astype(np.float32)


class Parts:
    """An index and two layers as they come from so many steps; `order` is that of the ids."""

    def __init__(self, cuts=(0, 4, 4, 9), order=None):
        self.order = list(range(len(IDS))) if order is None else order
        spans = [self.order[first:last] for first, last in pairwise(cuts)]
        self.index = [[{"id": IDS[place], "tokens": 1, "before": 0} for place in span] for span in spans]
        self.layers = {
            name: [VALUES[layer][span] if span else np.zeros((0, 0), np.float32) for span in spans]
            for name, layer in LAYERS.items()
        }

    def read(self, place, layers=(0, 3)):
        """Lay them down as a fan-in is, a folder for each input, and read the matrices."""
        inputs = {name: place / name for name in ("tiny.vectors", *self.layers)}
        for name, folder in inputs.items():
            folder.mkdir(parents=True)
            for number, part in enumerate(self.index if name == "tiny.vectors" else self.layers[name]):
                path = folder / part_name(number)
                if name == "tiny.vectors":
                    rows.write(path, part)
                else:
                    with open(path, "wb") as file:
                        np.save(file, part)  # as it lies in memory: Fortran order, float16
        return feature_arrays(inputs, STIMULI, {"tiny": layers})


def whole(place):
    """Read the same from one file each."""
    inputs = {name: place / name for name in ("tiny.vectors", *LAYERS)}
    rows.write(inputs["tiny.vectors"], ({"id": id} for id in IDS))
    for name, layer in LAYERS.items():
        arrays.write(inputs[name], VALUES[layer])
    return feature_arrays(inputs, STIMULI, {"tiny": (0, 3)})


def test_parts_are_joined_to_what_one_file_holds(tmp_path):
    (tmp_path / "whole").mkdir()
    wanted = whole(tmp_path / "whole")
    for number, cuts in enumerate([(0, 4, 4, 9), (0, 9), (0, 0, 1, 2, 9, 9)]):
        found = Parts(cuts).read(tmp_path / str(number))
        assert list(found) == list(wanted) == ["tiny@0", "tiny@3"]
        assert all(found[name].tobytes() == wanted[name].tobytes() for name in wanted)


def test_rows_are_found_by_their_ids_over_all_parts(tmp_path):
    found = Parts((0, 2, 7, 9), order=[5, 8, 0, 2, 1, 7, 3, 6, 4]).read(tmp_path)
    assert np.array_equal(found["tiny@3"], VALUES[3])


def test_words_of_blocks_are_found_over_all_parts(tmp_path):
    parts = Parts()
    parts.index = [
        [
            {"id": STIMULI[IDS.index(line["id"])]["block"], "word": STIMULI[IDS.index(line["id"])]["position"]}
            for line in part
        ]
        for part in parts.index
    ]
    assert np.array_equal(parts.read(tmp_path)["tiny@0"], VALUES[0])


@pytest.mark.parametrize("kind", ["fortran", "half"])
def test_parts_in_another_layout_of_memory_keep_their_values(tmp_path, kind):
    parts = Parts((0, 4, 9))
    changes: dict[str, Any] = {"fortran": np.asfortranarray, "half": lambda part: part.astype(np.float16)}
    parts.layers["tiny.layer-03.npy"] = [changes[kind](part) for part in parts.layers["tiny.layer-03.npy"]]
    wanted = VALUES[3].astype(np.float16) if kind == "half" else VALUES[3]
    assert np.array_equal(parts.read(tmp_path)["tiny@3"], wanted)


def test_a_stimulus_that_no_part_holds_is_named(tmp_path):
    parts = Parts()
    parts.index[2].pop()
    with pytest.raises(InputError, match=f"{IDS[-1]}.* is missing"):
        parts.read(tmp_path)


def test_a_stimulus_in_two_parts_is_named(tmp_path):
    parts = Parts()
    parts.index[2][0] = parts.index[0][1]
    with pytest.raises(InputError, match=f"{IDS[1]}.* stands twice"):
        parts.read(tmp_path)


def test_a_layer_of_fewer_parts_than_its_index_is_refused(tmp_path):
    parts = Parts()
    parts.layers["tiny.layer-03.npy"].pop()
    with pytest.raises(InputError, match="2 parts, its index 3") as bad:
        parts.read(tmp_path)
    assert bad.value.where == "tiny.layer-03.npy"


def test_rows_that_went_to_another_part_than_their_lines_are_refused(tmp_path):
    parts, other = Parts((0, 4, 9)), Parts((0, 5, 9))
    parts.layers["tiny.layer-00.npy"] = other.layers["tiny.layer-00.npy"]
    with pytest.raises(InputError, match=r"\[5, 5\], its index has 4 lines"):
        parts.read(tmp_path)


@pytest.mark.parametrize("change", ["width", "type"])
def test_parts_of_two_models_are_refused(tmp_path, change):
    parts = Parts((0, 4, 9))
    layer = parts.layers["tiny.layer-00.npy"]
    layer[1] = layer[1][:, :4] if change == "width" else layer[1].astype(np.float64)
    with pytest.raises(InputError, match="parts of the layer have") as bad:
        parts.read(tmp_path)
    assert bad.value.where == "tiny.layer-00.npy"


def test_a_folder_without_a_part_lacks_every_stimulus(tmp_path):
    parts = Parts((0,))
    with pytest.raises(InputError, match="and 8 more is missing"):
        parts.read(tmp_path)
