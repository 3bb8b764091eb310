"""The makers of this study's data: published stimuli, published features, and simulated recordings.

No maker reads a recording of a person. It must never know a row.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.studies.brain.data import arrays, stimuli
from harness.studies.brain.data import parameters as given
from harness.studies.brain.simulation.recipes import WORLDS, weight_names
from harness.studies.study import Maker

HERE = "harness.studies.brain.data"
SIMULATED = "harness.studies.brain.simulation.maker:make"
_SIMULATED = {
    given.LAYOUT: given.read_layout,
    given.EXPERIMENT: given.read_experiment,
    given.CATEGORIES: given.read_categories,
    given.UNITS: given.read_units,
    given.PARTICIPANTS: given.read_participants,
    **{name: given.weight(name) for name in weight_names()},
}
_EXPERIMENT = {given.EXPERIMENT: given.read_experiment}

MAKERS: Mapping[str, Maker] = {
    "brain.simulated": Maker(
        SIMULATED,
        {given.WORLD: given.one_of(given.WORLD, *WORLDS), given.SEED: int},
        ("stimuli", "units", "recordings", "features", "counts"),
        _SIMULATED,
    ),
    "brain.stimuli": Maker(
        f"{HERE}.stimuli:make",
        {given.DATASET: given.read_dataset},
        ("stimuli", "counts"),
        _EXPERIMENT,
        files=stimuli.FILES,
    ),
    "brain.arrays": Maker(f"{HERE}.arrays:make", {}, ("features", "counts"), _EXPERIMENT, files=arrays.FILES),
}
