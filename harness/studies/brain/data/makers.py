"""The makers of this study's data: published stimuli and features, simulated recordings, and recordings of people.

The study contains no recording of a person; a manifest names the files that its user has.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.kit.study import Maker
from harness.studies.brain.data import arrays, authors_arrays, neural_nlp, recordings, stimuli
from harness.studies.brain.data import parameters as given
from harness.studies.brain.simulation.recipes import WORLDS, weight_names

HERE = "harness.studies.brain.data"
SIMULATED = "harness.studies.brain.simulation.maker:make"
PUBLISHED = "harness.studies.brain.reanalysis.maker:make"
_SIMULATED = {
    given.LAYOUT: given.read_layout,
    given.EXPERIMENT: given.read_experiment,
    given.CATEGORIES: given.read_categories,
    given.SENTENCES: given.read_sentences,
    given.SCANS: given.read_scans,
    given.NETWORKS: given.read_networks,
    given.UNITS: given.read_units,
    given.PARTICIPANTS: given.read_participants,
    **{name: given.weight(name) for name in weight_names()},
}
_RECORDED = {given.EXPERIMENT: given.read_experiment, given.UNITS: given.read_units}
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
    "brain.published": Maker(PUBLISHED, {}, ("published", "counts"), needs=("files",), folders=("files",)),
    "brain.neural_nlp": Maker(
        f"{HERE}.neural_nlp:make",
        {given.DATASET: given.read_dataset},
        recordings.OUTPUTS,
        _RECORDED,
        files=neural_nlp.FILES,
        needs=(given.ASSEMBLY,),
    ),
    "brain.authors_arrays": Maker(
        f"{HERE}.authors_arrays:make",
        {given.DATASET: given.read_dataset},
        recordings.OUTPUTS,
        _RECORDED,
        files=authors_arrays.FILES,
    ),
    "brain.arrays": Maker(f"{HERE}.arrays:make", {}, ("features", "counts"), _EXPERIMENT, files=arrays.FILES),
}
