"""The features of a fit as matrices: arrays that came with the stimuli, and the layers of text models.

A layer's rows are found by the ids of its index, never by their order. It must never know a recording or a fold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import arrays, rows
from harness.errors import InputError
from harness.models.local.activations import INDEX, layer_file
from harness.studies.brain.rowtypes import Stimulus
from harness.studies.brain.structure.aligning import positions

Array = Any  # of numpy


def feature_arrays(
    inputs: Mapping[str, Path], stimuli: Sequence[Stimulus], text_models: Mapping[str, Sequence[int]]
) -> dict[str, Array]:
    """Read the arrays of `features`, where there are any, and the wanted layers of text models, as `minilm@3`.

    All have a row for each stimulus, in their order. InputError for a layer whose index lacks a stimulus or has one
    twice, and for one that has no row for each line of its index.
    """
    found = arrays.read_all(inputs["features"]) if "features" in inputs else {}
    for model, layers in text_models.items():
        index = list(rows.read(inputs[f"{model}.{INDEX}"]))
        places = text_rows(stimuli, index, f"{model}.{INDEX}")
        for layer in layers:
            name = f"{model}.{layer_file(layer)}"
            array = arrays.memory_map(inputs[name])
            if array.ndim != 2 or len(array) != len(index):
                said = f"the layer is {[*array.shape]}, its index has {len(index)} lines"
                raise InputError(said, where=name, next="give both of one extraction")
            found[f"{model}@{layer}"] = array[places]
    return found


def text_rows(stimuli: Sequence[Stimulus], index: Sequence[Mapping[str, Any]], where: str) -> list[int]:
    """Find the line of an index for each stimulus: by its id; or, of a text read word by word, by its block and place.

    InputError for a stimulus that has no line, or several.
    """
    names = [str(line["id"]) for line in index]
    if any("word" in line for line in index) and not {row["id"] for row in stimuli} <= {*names}:
        words = [f"{line['id']} word {line.get('word', 0)}" for line in index]
        return positions([f"{row['block']} word {row['position']}" for row in stimuli], words, where)
    return positions([row["id"] for row in stimuli], names, where)
