"""Files of recordings as published ones are laid out, with values of the simulation: real rows, readers, networks.

`write_neural_nlp` writes a netCDF file with its coordinates, `write_authors_arrays` the authors' `.npy` files. Both
hold the same simulated recordings where they get the same arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from support_brain_data import source_order as published_order
from support_brain_data import written

from harness.studies.brain.simulation.places import places
from harness.studies.brain.simulation.recipes import weights_for
from harness.studies.brain.simulation.sentences import texts
from harness.studies.brain.simulation.world import simulate
from harness.studies.brain.structure.others import TRS, blank, fedorenko
from harness.studies.brain.structure.pereira import parse_label, pereira

EXPERIMENTS = {"384": ("018", "199", "288", "289", "296", "343", "366", "407", "426"),
               "243": ("018", "215", "288", "289", "296", "426")}  # fmt: skip
READERS = sorted({*EXPERIMENTS["384"], *EXPERIMENTS["243"]})
NETWORKS = ("language", "DMN", "MD", "visual", "auditory")
STRATEGY = {"MD": "HminusE", "DMN": "FIXminusH"}  # the others have none
REGIONS = [f"{number:02}_region" for number in range(1, 13)]
ELECTRODES = (47, 8, 9, 15, 18)
LAYOUTS: Mapping[str, Any] = {"pereira": pereira, "fedorenko": fedorenko, "blank": blank}
UNITS = {"pereira": 100, "fedorenko": 97, "blank": 60}  # of Pereira a part: two voxels of each network and reader


@dataclass
class Recorded:
    """Simulated recordings: rows in the study's order, a column a unit, NaN where a unit did not do the experiment."""

    layout: Any
    values: Any
    readers: list[str]
    networks: list[str]
    voxels: list[int]  # each its own number in its reader
    said: list[str]
    features: Mapping[str, Any] = field(default_factory=dict)


def recorded(dataset: str, seed: int = 1, units: int | None = None) -> Recorded:
    """Simulate so many units: of Pereira and other numbers than the published ones readers take turns."""
    count = UNITS[dataset] if units is None else units
    layout, world, said = _simulated(dataset, seed, count)
    readers = [READERS[unit % 10] for unit in range(count)]
    if dataset == "fedorenko":
        listed = [str(at + 1) for at, electrodes in enumerate(ELECTRODES) for _ in range(electrodes)]
        readers = listed if count == len(listed) else [str(unit % 5 + 1) for unit in range(count)]
    if dataset == "blank":
        readers = [("061", "085", "088", "090", "098")[unit % 5] for unit in range(count)]
    networks = [NETWORKS[unit // 10 % 5] if dataset == "pereira" else "language" for unit in range(count)]
    values = world.recordings.copy()
    for experiment, did in EXPERIMENTS.items():
        idle = [unit for unit in range(count) if readers[unit] not in did]
        if dataset == "pereira":
            values[np.ix_([of == experiment for of in layout.experiments], idle)] = np.nan
    return Recorded(layout, values, readers, networks, [7 * unit for unit in range(count)], [*said], world.features)


@cache
def source_order() -> Any:
    """Give which row of the file is the study's first, second …"""
    return np.array(published_order())


@cache
def _simulated(dataset: str, seed: int, count: int) -> Any:
    layout = LAYOUTS[dataset]()
    world = simulate(layout, weights_for(dataset, "default", {}), seed, [unit % 5 != 4 for unit in range(count)])
    return layout, world, texts(dataset, places(layout), world.lengths, seed)


def text_files(folder: Path, dataset: str, found: Recorded) -> dict[str, Path]:
    """Write the stimuli as the published files hold them, and of Pereira the order and the word vectors, too."""
    if dataset == "pereira":
        np.save(folder / "order.npy", source_order())
        np.save(folder / "word.npy", found.features["WORD"])
        sentences = written(folder, "sentences", found.said)
        return {"sentences": sentences, "order": folder / "order.npy", "word": folder / "word.npy"}
    if dataset == "fedorenko":
        lines = [" ".join(found.said[start : start + 8]) for start in range(0, 416, 8)]
        return {"sentences": written(folder, "sentences", lines)}
    stories = {name: np.array([t for t, of in zip(found.said, found.layout.blocks, strict=True) if of == name])
               for name in TRS}  # fmt: skip
    np.savez(folder / "stories.npz", **stories)
    return {"stories": folder / "stories.npz"}


def write_neural_nlp(
    folder: Path,
    dataset: str,
    seed: int = 1,
    units: int | None = None,
    *,
    engine: Any = "h5netcdf",
    change: Callable[[dict[str, Any]], Any] = dict,
    encoding: Mapping[str, Any] | None = None,
) -> dict[str, Path]:
    """Write a netCDF file and what belongs to it, by the maker's parameters.

    `change` may alter the parts before they are written: `data`, and each coordinate as (dimension, values).
    """
    import xarray

    found = recorded(dataset, seed, units)
    parts = _pereira(found) if dataset == "pereira" else _words(found) if dataset == "fedorenko" else _stories(found)
    parts = change(parts) or parts
    values = parts.pop("data").astype("float64")
    made = xarray.DataArray(values, dims=("presentation", "neuroid"), coords=parts, name="data")
    made.attrs["stimulus_set"] = f"s3:{dataset}-stimulus_set.csv"
    made.to_netcdf(folder / "assembly.nc", engine=engine, encoding={"data": dict(encoding or {})})
    return {"assembly": folder / "assembly.nc", **text_files(folder, dataset, found)}


def write_authors_arrays(
    folder: Path,
    dataset: str,
    seed: int = 1,
    units: int | None = None,
    *,
    experiment: str = "",
    change: Callable[[dict[str, Any]], Any] = dict,
) -> dict[str, Path]:
    """Write the authors' arrays of one experiment, or of both where none is named; `change` may alter them before."""
    found = recorded(dataset, seed, units)
    if dataset != "pereira":
        said = {"y": found.values, "subjects": np.array(found.readers)}
    elif experiment:
        said = _experiment(found, experiment, "")
    else:
        said = {**_experiment(found, "243", "_243"), **_experiment(found, "384", "_384")}
    said = change(said) or said
    for name, array in said.items():
        np.save(folder / f"{name}.npy", array)
    return {**{name: folder / f"{name}.npy" for name in said}, **text_files(folder, dataset, found)}


def place(found: Recorded, axis: int) -> Any:
    """Give where each voxel is along an axis: no two of a reader and network at one place."""
    return np.array([(voxel // 60**axis) % 60 + 1 for voxel in found.voxels])


def _experiment(found: Recorded, of: str, suffix: str) -> dict[str, Any]:
    rows = [name == of for name in found.layout.experiments]
    there = np.flatnonzero(~np.isnan(found.values[rows][0]))
    said = {
        "y": found.values[rows][:, there],
        "subjects": np.array(found.readers)[there],
        "networks": np.array(found.networks)[there],
        **{f"col_to_coord_{axis + 1}": place(found, axis)[there] for axis in range(3)},
        **({"non_nan_indices": there} if suffix else {}),
    }
    return {f"{name}{suffix}": array for name, array in said.items()}


def _pereira(found: Recorded) -> dict[str, Any]:
    """Give the file's rows in its own order, and beside the voxels that are kept some that the loader drops."""
    at = np.argsort(source_order())  # which row of the study each row of the file is
    labels = [parse_label(found.layout.labels[row]) for row in at]
    numbers = {"243": iter(range(243)), "384": iter(range(384))}
    passages = {block: number + 1 for number, block in enumerate(sorted({*found.layout.blocks}))}
    count = len(found.readers)
    dropped = count // 4  # voxels of lower percentiles, and of another contrast
    twice = [*range(count), *range(dropped)]
    names = [found.readers[unit] for unit in twice]
    voxels = [found.voxels[unit] for unit in twice]
    contrast = [STRATEGY.get(network) for network in found.networks]
    return {
        "data": found.values[np.ix_(at, twice)] + np.repeat([0.0, 100.0], [count, dropped]),
        "experiment": ("presentation", [f"{label.experiment}sentences" for label in labels]),
        "stimulus_num": ("presentation", [next(numbers[label.experiment]) for label in labels]),
        "passage_index": ("presentation", [passages[found.layout.blocks[row]] for row in at]),
        "passage_category": ("presentation", [label.category for label in labels]),
        "subject": ("neuroid", names),
        "voxel_num": ("neuroid", voxels),
        "atlas": ("neuroid", [found.networks[unit] for unit in twice]),
        "filter_strategy": ("neuroid", np.array([*contrast, *["SminusN", None] * dropped][: len(twice)], object)),
        "atlas_selection_lower": ("neuroid", [90] * count + [90 - unit % 2 * 40 for unit in range(dropped)]),
        **{f"col_to_coord_{axis + 1}": ("neuroid", place(found, axis)[twice]) for axis in range(3)},
        "neuroid_id": ("neuroid", [f"{name}.{voxel}" for name, voxel in zip(names, voxels, strict=True)]),
    }


def _words(found: Recorded) -> dict[str, Any]:
    count = len(found.readers)
    return {
        "data": found.values,
        "stimulus_id": ("presentation", list(range(416))),
        "word": ("presentation", [word.rstrip(".").lower() for word in found.said]),
        "sentence_id": ("presentation", [row // 8 for row in range(416)]),
        "electrode": ("neuroid", list(range(count))),
        "neuroid_id": ("neuroid", list(range(count))),
        "subject_UID": ("neuroid", [int(reader) for reader in found.readers]),
    }


def _stories(found: Recorded) -> dict[str, Any]:
    return {
        "data": found.values,
        "stimulus_id": ("presentation", list(found.layout.ids)),
        "story": ("presentation", list(found.layout.blocks)),
        "fROI_area": ("neuroid", [REGIONS[unit // 5 % 12] for unit in range(len(found.readers))]),
        "subject_UID": ("neuroid", found.readers),
    }
