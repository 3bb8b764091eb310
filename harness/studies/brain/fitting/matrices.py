"""The features of a fit as matrices: arrays that came with the stimuli, and the layers of text models.

A layer's rows are found by the ids in its index, not by their order. A layer in several parts is joined in their order.
Memory holds one whole layer at a time, plus the wanted rows of each layer.
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

Array = Any  # a numpy array


def feature_arrays(
    inputs: Mapping[str, Path], stimuli: Sequence[Stimulus], text_models: Mapping[str, Sequence[int]]
) -> dict[str, Array]:
    """Read the arrays of `features`, if any, and the wanted layers of text models, named like `minilm@3`.

    A text model's index and layers are each a file, or a folder with the parts of one extraction. All arrays have a row
    for each stimulus, in order. Raises InputError if an index lacks a stimulus or has one twice, or if a layer does not
    have the same parts and number of rows as its index.
    """
    found = arrays.read_all(inputs["features"]) if "features" in inputs else {}
    for model, layers in text_models.items():
        where = f"{model}.{INDEX}"
        parts = [list(rows.read(part)) for part in rows.parts(inputs[where])]
        places = text_rows(stimuli, [line for part in parts for line in part], where)
        lines = [len(part) for part in parts]
        for layer in layers:
            name = f"{model}.{layer_file(layer)}"
            found[f"{model}@{layer}"] = _joined(rows.parts(inputs[name]), lines, name)[places]
    return found


def _joined(parts: Sequence[Path], lines: Sequence[int], where: str) -> Array:
    """Join the parts of a layer, checked against the index's number of lines; a single file is mapped, not read."""
    import numpy as np  # noqa: PLC0415 - heavy

    if len(parts) != len(lines):
        told = f"the layer has {len(parts)} parts, its index {len(lines)}"
        raise InputError(told, where=where, next="give both of one extraction")
    blocks = [arrays.memory_map(part) for part in parts]
    for block, count in zip(blocks, lines, strict=True):
        if block.ndim != 2 or len(block) != count:
            said = f"the layer is {[*block.shape]}, its index has {count} lines"
            raise InputError(said, where=where, next="give both of one extraction")
    blocks = [block for block in blocks if len(block)] or blocks[:1]  # a part without rows does not have its width
    kinds = sorted({f"{block.shape[1]} columns of {block.dtype}" for block in blocks})
    if len(kinds) > 1:
        raise InputError(
            f"parts of the layer have {kinds[0]}, and {kinds[1]}", where=where, next="give those of one model"
        )
    return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)


def text_rows(stimuli: Sequence[Stimulus], index: Sequence[Mapping[str, Any]], where: str) -> list[int]:
    """Return each stimulus's line in an index, found by id or, for a text read word by word, by block and position.

    Raises InputError if a stimulus has no line or several.
    """
    names = [str(line["id"]) for line in index]
    if any("word" in line for line in index) and not {row["id"] for row in stimuli} <= {*names}:
        words = [f"{line['id']} word {line.get('word', 0)}" for line in index]
        return positions([f"{row['block']} word {row['position']}" for row in stimuli], words, where)
    return positions([row["id"] for row in stimuli], names, where)
