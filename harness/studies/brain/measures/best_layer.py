"""The step that selects a text model's layer for joint models, by scores on test data, as published.

The layer's vectors are named `MODEL@best`. The choice follows the rule of `choices`. A score of a layer chosen this way
is too high, and the page says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import arrays, rows
from harness.studies.brain.fitting.matrices import feature_arrays
from harness.studies.brain.measures import choosing, fits
from harness.studies.brain.measures.aggregation import aggregate
from harness.studies.brain.measures.choices import published_score
from harness.studies.brain.measures.naming import BEST, families
from harness.studies.brain.rowtypes import Stimulus

CHOSEN = "chosen"  # an output; the other is named like the layer


def choose(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `best`, a language model's features in its highest-scoring layer, row by row, and `chosen`, the layer.

    params: generation; dataset; group, which describes the single part of `fits`; model. inputs: fits, units and
    stimuli of the dataset; the index and layers of the model. If no layer has a finite score, the first is chosen and
    its r2 is null.
    """
    found = fits.read({"groups": [params["group"]], "datasets": [params["dataset"]]}, inputs)[0]
    model, generation = params["model"], params["generation"]
    members = families(found.models)[model]
    values = [published_score(found.r2(one.model), found, generation, model) for one in members]
    taken, tied = choosing.choose(values)
    chosen = members[taken or 0]
    layer = int(chosen.place)
    stimuli = list(rows.read(inputs["stimuli"], Stimulus))
    read = {name: path for name, path in inputs.items() if name.startswith(f"{model}.")}
    vectors = feature_arrays(read, stimuli, {model: [layer]})[f"{model}@{layer}"]
    arrays.write_all(out / BEST, {f"{model}@{BEST}": vectors})
    score = None if taken is None else aggregate(found.r2(chosen.model), found.units, generation).score
    rows.write_one(out / CHOSEN, {"model": chosen.model, "layer": layer, "r2": score, "near_tie": tied})
