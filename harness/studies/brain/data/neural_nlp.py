"""The maker of recordings in the format of neural-nlp's loader: a netCDF file of one dataset, with its coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import arrays
from harness.errors import InputError
from harness.studies.brain.data.arrays import FILES as FEATURES
from harness.studies.brain.data.netcdf import COLUMN, ROW, NetcdfFile, opened
from harness.studies.brain.data.parameters import ASSEMBLY, LABELS, OF_EXPERIMENT, ORDER, SENTENCES, STORIES
from harness.studies.brain.data.published_shapes import GRID, LOWER, STRATEGIES
from harness.studies.brain.data.recorded_rows import (
    read_stimuli,
    require_count,
    require_passages,
    require_stories,
    require_words,
)
from harness.studies.brain.data.recordings import Recordings, require_params, with_place, write_dataset
from harness.studies.brain.data.source_order import read_rows
from harness.studies.brain.rowtypes import RecordedUnit, Stimulus
from harness.studies.brain.terms import BLANK, FEDORENKO, LANGUAGE, PEREIRA

Array = Any  # a numpy array
TIME = "time"  # prefix of the coordinates of a scan's time, such as `timepoint_value`
STIMULUS = "stimulus_id"  # the coordinate with the id of a scan's text
TAKEN: Mapping[str, tuple[str, ...]] = {
    PEREIRA: tuple(dict.fromkeys((ASSEMBLY, SENTENCES, *OF_EXPERIMENT.values(), LABELS, *FEATURES))),
    FEDORENKO: (ASSEMBLY, SENTENCES, LABELS),
    BLANK: (ASSEMBLY, STORIES, LABELS),
}
FILES = tuple(dict.fromkeys(name for taken in TAKEN.values() for name in taken))


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write stimuli, units, recordings, features and counts of a netCDF file; params: dataset, perhaps an experiment.

    The parameter `units` is the expected number of units if it is not the published number. Raises InputError if files
    are missing or do not belong to the dataset, or if coordinates, rows, units, participants or values are not as
    published.
    """
    dataset, experiment = require_params(params, inputs, TAKEN[params["dataset"]])
    if dataset == PEREIRA and ORDER not in inputs:
        raise InputError(f"{dataset} needs `{ORDER}`", where=ORDER, next="give the published file of 627 whole numbers")
    stimuli = read_stimuli(dataset, experiment, inputs)
    readers = {PEREIRA: _pereira, FEDORENKO: _fedorenko}
    with opened(inputs[ASSEMBLY], ASSEMBLY) as file:
        require_count(ASSEMBLY, file.shape[0], stimuli)
        order = read_rows(inputs[ORDER]) if dataset == PEREIRA else list(range(len(stimuli)))
        units, wanted = readers.get(dataset, _blank)(file, stimuli, order)
        found = Recordings(_values(file, order, wanted), units, file.form)
    write_dataset(params, inputs, stimuli, found, out)


def _pereira(file: NetcdfFile, stimuli: Sequence[Stimulus], order: Sequence[int]) -> tuple[list[RecordedUnit], Array]:
    """Check the rows; return the units that the loader keeps, and their columns.

    A voxel has one column for each network that it belongs to, with the same name in each.
    """
    import numpy as np  # noqa: PLC0415 - heavy

    ordered = {
        name: [values[row] for row in order]
        for name in ("experiment", "passage_category", "passage_index")
        for values in [file.texts(name, ROW)]
    }
    passages = list(zip(ordered["passage_category"], ordered["passage_index"], strict=True))
    require_passages(stimuli, ordered["experiment"], passages, file.numbers("stimulus_num", ROW)[order].tolist())
    chosen = np.isin(file.texts("filter_strategy", COLUMN), STRATEGIES)
    wanted = np.flatnonzero((file.numbers("atlas_selection_lower", COLUMN) == LOWER) & chosen)
    names, subjects, networks = (file.texts(name, COLUMN) for name in ("neuroid_id", "subject", "atlas"))
    places = _places(file)
    units = []
    for column in wanted.tolist():
        if names[column].partition(".")[0] != subjects[column]:
            told = f"the unit {names[column][:80]!r} is said to be of {subjects[column][:80]!r}"
            raise InputError(told, where=f"{ASSEMBLY}: neuroid_id", next="give the published file")
        name, network = f"{names[column]}.{networks[column]}", networks[column]
        unit = RecordedUnit(id=name, participant=subjects[column], network=network)
        units.append(with_place(unit, places[column] if places is not None else ()))
    return units, wanted


def _fedorenko(file: NetcdfFile, stimuli: Sequence[Stimulus], order: Sequence[int]) -> tuple[list[RecordedUnit], Array]:
    require_words(stimuli, file.texts("word", ROW))
    return _named(file, "subject_UID", "neuroid_id")


def _blank(file: NetcdfFile, stimuli: Sequence[Stimulus], order: Sequence[int]) -> tuple[list[RecordedUnit], Array]:
    has = file.coordinates(ROW)
    times = {name: file.numbers(name, ROW).tolist() for name in has if name.startswith(TIME) and file.numeric(name)}
    ids = file.texts(STIMULUS, ROW) if STIMULUS in has else []
    require_stories(stimuli, file.texts("story", ROW), times, ids)
    return _named(file, "subject_UID", "fROI_area")


def _named(file: NetcdfFile, subject: str, part: str) -> tuple[list[RecordedUnit], Array]:
    """Return all columns as units of the language network, named by the participant and another coordinate."""
    import numpy as np  # noqa: PLC0415 - heavy

    pairs = zip(file.texts(subject, COLUMN), file.texts(part, COLUMN), strict=True)
    units = [RecordedUnit(id=f"{one}.{name}", participant=one, network=LANGUAGE) for one, name in pairs]
    return units, np.arange(len(units))


def _places(file: NetcdfFile) -> list[tuple[float, ...]] | None:
    """Return the place of each column in the grid; None if the file has no places."""
    names = [f"col_to_coord_{axis + 1}" for axis in range(len(GRID))]
    if not all(name in file.variables for name in names):
        return None
    return list(zip(*(file.numbers(name, COLUMN).tolist() for name in names), strict=True))


def _values(file: NetcdfFile, order: Sequence[int], wanted: Array) -> Array:
    """Read the wanted columns with rows in the study's order; raise InputError if they exceed the memory limit."""
    import numpy as np  # noqa: PLC0415 - heavy

    size = 4 * len(order) * len(wanted)
    if size > arrays.MOST:
        told = f"{len(wanted):,} units have {size:,} bytes, at most {arrays.MOST:,} are held"
        raise InputError(told, where=ASSEMBLY, next="give the published file, or a part of it")
    place = np.argsort(order, kind="stable")
    found: Array = np.empty((len(order), len(wanted)), np.float32)
    with np.errstate(over="ignore"):  # values too large for float32 become infinite, which is refused later
        for tile in file.tiles(wanted):
            found[np.ix_(place[tile.row : tile.row + len(tile.values)], tile.columns)] = tile.values
    return found
