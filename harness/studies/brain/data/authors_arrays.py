"""The maker of recordings in the format of the authors' pipeline: `.npy` files, one for each quantity.

The authors' file names map to inputs. For Pereira with `experiment: "384"`, `y_pereira_384.npy` is `y`,
`subjects_384.npy` is `subjects`, and so on for `networks_384.npy`, `col_to_coord_1_384.npy` …;
`data_labels_pereira.npy` is `labels`. For both experiments together, each input name ends in `_243` or `_384`, and
`non_nan_indices_243` and `non_nan_indices_384` are needed too. For the other datasets, `y_fedorenko.npy` or
`y_blank.npy` is `y`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from harness import arrays
from harness.errors import InputError
from harness.studies.brain.data.arrays import FILES as FEATURES
from harness.studies.brain.data.parameters import EXPERIMENT, LABELS, OF_EXPERIMENT, SENTENCES, STORIES
from harness.studies.brain.data.published_shapes import EDITIONS, ELECTRODES, GRID, PARTICIPANTS, how_to_get
from harness.studies.brain.data.recorded_rows import read_stimuli
from harness.studies.brain.data.recordings import BLOCK, Recordings, require_params, with_place, write_dataset
from harness.studies.brain.data.source_order import experiment_rows
from harness.studies.brain.data.text_arrays import named, read_list, read_whole, read_words
from harness.studies.brain.rowtypes import RecordedUnit, Stimulus
from harness.studies.brain.structure.layout import ORDER
from harness.studies.brain.terms import BLANK, FEDORENKO, LANGUAGE, PEREIRA

Array = Any  # a numpy array
Y, SUBJECTS, NETWORKS, THERE = "y", "subjects", "networks", "non_nan_indices"
PLACES = tuple(f"col_to_coord_{axis + 1}" for axis in range(len(GRID)))
_STIMULI = tuple(dict.fromkeys((SENTENCES, *OF_EXPERIMENT.values(), LABELS, *FEATURES)))
_ONE = (Y, SUBJECTS, NETWORKS, *PLACES)
_BOTH = tuple(f"{name}_{of}" for of in ORDER for name in (*_ONE, THERE))
TAKEN: Mapping[str, tuple[str, ...]] = {
    PEREIRA: (*_ONE, *_BOTH, *_STIMULI),
    FEDORENKO: (Y, SUBJECTS, SENTENCES, LABELS),
    BLANK: (Y, SUBJECTS, STORIES, LABELS),
}
FILES = tuple(dict.fromkeys(name for taken in TAKEN.values() for name in taken))
FORM = "npy"
_NEEDS = {FEDORENKO: (Y,), BLANK: (Y, SUBJECTS)}


class _Columns(NamedTuple):
    """The columns of one file: their values, their units, and the place of each in the union of both experiments."""

    rows: Sequence[int]  # of the study's rows
    values: Array
    units: Sequence[RecordedUnit]
    places: Array


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write stimuli, units, recordings, features and counts of the authors' arrays; params: dataset, experiment, units.

    Raises InputError if files are missing or not used, if an array holds Python objects, or if rows, units,
    participants, networks or values are not those of the published recording.
    """
    dataset, experiment = require_params(params, inputs, _taken(params))
    stimuli = read_stimuli(dataset, experiment, inputs)
    if dataset != PEREIRA:
        parts = [_others(dataset, inputs, stimuli)]
    elif experiment:
        parts = [_experiment(inputs, experiment, "")]
    else:
        parts = [_experiment(inputs, of, f"_{of}") for of in ORDER]
    write_dataset(params, inputs, stimuli, _joined(parts, len(stimuli)), out)


def _taken(params: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the input files that are read: for Pereira, those of one experiment or of both."""
    dataset = params["dataset"]
    if dataset != PEREIRA:
        return TAKEN[dataset]
    return (*(_ONE if params.get(EXPERIMENT) else _BOTH), *_STIMULI)


def _experiment(files: Mapping[str, Path], of: str, suffix: str) -> _Columns:
    rows = experiment_rows(of)
    values = _values(files, f"{Y}{suffix}", len(rows))
    count = int(values.shape[1])
    subjects, networks = (_named(files, f"{name}{suffix}", count) for name in (SUBJECTS, NETWORKS))
    places = _union(files, f"{THERE}{suffix}", count) if suffix else range(count)
    points = _points(files, suffix, count)
    units = [
        with_place(RecordedUnit(id=f"{who}.{at}", participant=who, network=network), points[column])
        for column, (at, who, network) in enumerate(zip(places, subjects, networks, strict=True))
    ]
    return _Columns(rows, values, units, places)


def _others(dataset: str, files: Mapping[str, Path], stimuli: Sequence[Stimulus]) -> _Columns:
    """Read Fedorenko or Blank; if no file names Fedorenko's participants, they are taken in the published order."""
    if missing := [name for name in _NEEDS[dataset] if name not in files]:
        then = f"give it; {dataset} takes {Y}, and {SUBJECTS}: whose each of its columns is"
        raise InputError(f"`{missing[0]}` is missing", where=missing[0], next=then)
    values = _values(files, Y, len(stimuli))
    count = int(values.shape[1])
    listed = dataset == FEDORENKO and SUBJECTS not in files
    subjects = _as_published(count) if listed else _named(files, SUBJECTS, count)
    units = [
        RecordedUnit(id=f"{who}.{column}", participant=who, network=LANGUAGE) for column, who in enumerate(subjects)
    ]
    return _Columns(range(len(stimuli)), values, units, range(count))


def _as_published(count: int) -> list[str]:
    """Return the participant of each of Fedorenko's electrodes in the published order.

    Raises InputError if the number of electrodes is not the published one. If another known edition has that number,
    the message names the edition.
    """
    if count == sum(ELECTRODES):
        listed = zip(PARTICIPANTS[FEDORENKO], ELECTRODES, strict=True)
        return [who for who, electrodes in listed for _ in range(electrodes)]
    if editions := [name for electrodes, name in EDITIONS.items() if sum(electrodes) == count]:
        told = f"it has {count} columns, as has {', or '.join(editions)}"
        raise InputError(told, where=Y, next=f"{how_to_get(FEDORENKO)}; of a part of it give `{SUBJECTS}`")
    electrodes = ", ".join(map(str, ELECTRODES))
    raise InputError(
        f"`{SUBJECTS}` is missing, and {Y} has {count} columns",
        where=SUBJECTS,
        next=f"give it, whose each column is; or {Y} with the published {sum(ELECTRODES)} columns ({electrodes})",
    )


def _joined(parts: Sequence[_Columns], rows: int) -> Recordings:
    """Join the experiments' columns by unit; raise InputError if the experiments describe a unit differently."""
    import numpy as np  # noqa: PLC0415 - heavy

    units: dict[int, RecordedUnit] = {}
    for part in parts:
        for at, unit in zip(part.places, part.units, strict=True):
            if units.setdefault(at, unit) != unit:
                told = f"column {at} of both experiments is {_said(units[at])} in one, {_said(unit)} in the other"
                raise InputError(told, where=THERE, next="give files of one set")
    if sorted(units) != list(range(len(units))):
        gap = next(at for at in range(len(units)) if at not in units)
        raise InputError(f"no experiment has the column {gap}", where=THERE, next="give files of one set")
    _require_held(rows * len(units) * 4)
    found: Array = np.full((rows, len(units)), np.nan, np.float32)
    with np.errstate(over="ignore"):  # values too large for float32 become infinite, which is refused later
        for part in parts:
            for start in range(0, len(part.units), BLOCK):
                columns = np.asarray(part.places[start : start + BLOCK])
                found[np.ix_(part.rows, columns)] = part.values[:, start : start + BLOCK]
    return Recordings(found, [units[at] for at in range(len(units))], FORM)


def _values(files: Mapping[str, Path], name: str, rows: int) -> Array:
    """Memory-map an array of recordings; raise InputError if it is not an array of decimals with `rows` rows."""
    path = _file(files, name)
    with named(name):
        found = arrays.memory_map(path)
    if found.ndim != 2 or found.dtype.kind != "f" or len(found) != rows:
        told = f"it is {found.dtype} {[*found.shape]}"
        raise InputError(told, where=name, next=f"give decimals, {rows} rows, a column a unit")
    return found


def _named(files: Mapping[str, Path], name: str, count: int) -> list[str]:
    found = read_words(name, _file(files, name))
    _require_length(name, len(found), count)
    return found


def _union(files: Mapping[str, Path], name: str, count: int) -> list[int]:
    """Read the place of each column in the union of both experiments; raise InputError unless the places rise."""
    found = [int(at) for at in read_whole(name, _file(files, name))]
    _require_length(name, len(found), count)
    if any(at >= after for at, after in pairwise(found)) or (found and found[0] < 0):
        raise InputError("its whole numbers do not rise from 0 up", where=name, next="give the published file")
    return found


def _points(files: Mapping[str, Path], suffix: str, count: int) -> Sequence[tuple[float, ...]]:
    """Read the places in the grid if all three files are given; raise InputError if only some are given."""
    names = [f"{name}{suffix}" for name in PLACES]
    if not any(name in files for name in names):
        return [()] * count
    read = {name: read_list(name, _file(files, name)) for name in names}
    for name, one in read.items():
        _require_length(name, len(one), count)
        if one.dtype.kind not in "iuf":
            raise InputError(f"it is {one.dtype}", where=name, next="give a number a column")
    return list(zip(*(one.tolist() for one in read.values()), strict=True))


def _file(files: Mapping[str, Path], name: str) -> Path:
    if name not in files:
        then = f"give it; {PEREIRA} takes {Y} … with `{EXPERIMENT}`, or {Y}_243 … and {Y}_384 … without"
        raise InputError(f"`{name}` is missing", where=name, next=then)
    return files[name]


def _require_length(name: str, found: int, count: int) -> None:
    if found != count:
        raise InputError(f"it has {found} values for {count} columns", where=name, next="give files of one set")


def _require_held(size: int) -> None:
    if size > arrays.MOST:
        told = f"the recordings have {size:,} bytes, at most {arrays.MOST:,} are held"
        raise InputError(told, where=Y, next="give the published files, or a part of them")


def _said(unit: RecordedUnit) -> str:
    return f"{unit['participant'][:40]!r} of {unit['network'][:40]!r}"
