"""The datasets with recordings as a plan sees them before reading any file: layout, experiments, arrays.

Uses the makers' names and parameters only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from harness.errors import InputError
from harness.kit.study import Dataset
from harness.steps import Ref, maker_step_name
from harness.studies.brain.data.arrays import GLOVE, OF_STUDY
from harness.studies.brain.data.built_features import built_spaces, require_companions
from harness.studies.brain.data.parameters import GLOVE_OF
from harness.studies.brain.measures.naming import LANGUAGE_ARRAYS
from harness.studies.brain.simulation.recipes import weight_names
from harness.studies.brain.structure.layout import ORDER
from harness.studies.brain.terms import EXP1, PEREIRA

SIMULATED = "brain.simulated"
REAL = ("brain.neural_nlp", "brain.authors_arrays")
WORD = "WORD"  # an array of a simulation, only for sentences, as in the paper; a simulation also has LLM arrays


@dataclass(frozen=True)
class Recorded:
    """A dataset with brain recordings: its name in the manifest, its layout of rows, and whether it is simulated."""

    name: str
    world: str
    layout: str
    experiments: tuple[str, ...]  # fitted separately; a single empty text if there are none
    arrays: tuple[str, ...] = ()  # feature arrays that it brings
    weights: Mapping[str, str] = field(default_factory=dict)  # weights of the simulation that the manifest changed

    def ref(self, output: str) -> Ref:
        """Return a plan reference to one of the outputs of the step that makes the dataset."""
        return Ref(maker_step_name(self.name), output)

    def about(self) -> dict[str, str]:
        """Return the dataset's name, layout and experiment as a parameter for steps that read fits to it."""
        experiment = self.experiments[0] if len(self.experiments) == 1 else ""
        return {"dataset": self.name, "world": self.world, "layout": self.layout, "experiment": experiment}


def recorded(datasets: Iterable[Dataset]) -> tuple[Recorded, ...]:
    """Return a brief's datasets with recordings; raise InputError for an experiment that the dataset does not have."""
    found = []
    for dataset in datasets:
        if dataset.make == SIMULATED:
            found.append(_simulated(dataset))
        elif dataset.make in REAL:
            layout = str(dataset.params["dataset"])
            found.append(Recorded(dataset.name, "", layout, _experiments(dataset, layout, ORDER), _brought(dataset)))
    return tuple(found)


def _simulated(dataset: Dataset) -> Recorded:
    layout = str(dataset.params.get("layout", PEREIRA))
    weights = {name: str(dataset.params[name]) for name in weight_names() if name in dataset.params}
    experiments = _experiments(dataset, layout, (EXP1,))
    arrays = (*((WORD,) if layout == PEREIRA else ()), *LANGUAGE_ARRAYS)
    return Recorded(dataset.name, str(dataset.params["world"]), layout, experiments, arrays, weights)


def _experiments(dataset: Dataset, layout: str, every: tuple[str, ...]) -> tuple[str, ...]:
    if layout != PEREIRA and "experiment" in dataset.params:
        told = f"{layout} has no experiments"
        raise InputError(told, where=f"datasets.{dataset.name}.experiment", next="leave it out")
    if layout != PEREIRA:
        return ("",)
    return (str(dataset.params["experiment"]),) if "experiment" in dataset.params else every


def _brought(dataset: Dataset) -> tuple[str, ...]:
    """Return the names of the arrays that a maker of real recordings writes, judged by its input files."""
    require_companions(dataset.files, f"datasets.{dataset.name}")
    found = [space for name, space in OF_STUDY.items() if name in dataset.files]
    found += [GLOVE] if {*GLOVE_OF.values()} <= {*dataset.files} else []
    return tuple(dict.fromkeys((*found, *built_spaces(dataset.files))))
