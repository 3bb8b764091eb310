"""Shared by both makers of real recordings: checks that a recording is the published one, and writes the outputs.

Independent of the file format. The rows of a file are checked in `recorded_rows`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from harness import arrays, rows
from harness.errors import InputError
from harness.studies.brain.data.arrays import read_features
from harness.studies.brain.data.parameters import DATASET, EXPERIMENT, UNITS
from harness.studies.brain.data.published_shapes import (
    EDITIONS,
    ELECTRODES,
    GRID,
    OLDER,
    PARTICIPANTS,
    READERS,
    REGIONS,
    how_to_get,
)
from harness.studies.brain.data.published_shapes import UNITS as PUBLISHED
from harness.studies.brain.data.twins import require_no_twins
from harness.studies.brain.fitting.units import LARGEST
from harness.studies.brain.rowtypes import RecordedUnit, Stimulus
from harness.studies.brain.terms import BLANK, FEDORENKO, NETWORKS, PEREIRA

Array = Any  # a numpy array
OUTPUTS = ("stimuli", "units", "recordings", "features", "counts")
BLOCK = 4096  # units that are checked together


class Recordings(NamedTuple):
    """The recorded responses of a file, [row, unit], with rows and units in the order of the study."""

    values: Array  # [row, unit] of float32; NaN where a unit did not do the row's experiment
    units: Sequence[RecordedUnit]
    form: str  # the format of the file


def require_params(params: Mapping[str, Any], inputs: Mapping[str, Path], taken: Sequence[str]) -> tuple[str, str]:
    """Check a maker's parameters; return its dataset and its experiment (an empty text means all experiments).

    Raises InputError if an experiment is given for a dataset without experiments, or if `inputs` has a file that is not
    in `taken`.
    """
    dataset, experiment = str(params[DATASET]), str(params.get(EXPERIMENT, ""))
    if experiment and dataset != PEREIRA:
        raise InputError(f"{dataset} has no experiments", where=EXPERIMENT, next=f"leave `{EXPERIMENT}` out")
    if spare := sorted({*inputs} - {*taken}):
        raise InputError(f"nobody reads `{spare[0]}` here", where=spare[0], next=f"give only {', '.join(taken)}")
    return dataset, experiment


def write_dataset(
    params: Mapping[str, Any], inputs: Mapping[str, Path], stimuli: Sequence[Stimulus], found: Recordings, out: Path
) -> None:
    """Check a recording and write its five output files; with an experiment, only the units that took part in it.

    Raises InputError if units, participants, networks or values are not those of the published recording.
    """
    import numpy as np  # noqa: PLC0415 - heavy

    dataset, experiment = str(params[DATASET]), str(params.get(EXPERIMENT, ""))
    _require_units(found.units)
    done, counts = _settled(found, stimuli, experiment)
    kept = np.flatnonzero(np.any([*done.values()], axis=0))
    require_no_twins(found.values, found.units, kept.tolist())
    if not experiment and len(kept) < len(found.units):
        idle = found.units[int(np.flatnonzero(~np.any([*done.values()], axis=0))[0])]["id"]
        raise InputError("a unit has no value in any row", where=idle, next="leave it out")
    units = [found.units[place] for place in kept.tolist()]
    _require_published(dataset, experiment, units, params.get(UNITS))
    for name, there in done.items():
        _require_participants(name or dataset, [found.units[place] for place in np.flatnonzero(there).tolist()])
    rows.write(out / "stimuli", stimuli)
    rows.write(out / "units", units)
    with arrays.stream_writer(out / "recordings", np.float32, (len(stimuli), len(units))) as add:
        for start in range(0, len(stimuli), 16):
            add(found.values[start : start + 16][:, kept])
    spaces, words = read_features(inputs)
    arrays.write_all(out / "features", spaces)
    about = {"layout": dataset, "file": found.form, "rows": len(stimuli), "units": len(units), **words}
    rows.write_one(out / "counts", {**about, **_counted(units), **counts})


def participant_counts(units: Sequence[RecordedUnit]) -> dict[str, int]:
    """Return the number of units of each participant, in order of first appearance."""
    return dict(Counter(unit["participant"] for unit in units))


def with_place(unit: RecordedUnit, at: Sequence[float]) -> RecordedUnit:
    """Return the unit with its three grid coordinates, or without if `at` is not three whole numbers in the grid."""
    whole = len(at) == len(GRID) and all(float(one).is_integer() for one in at)
    if whole and all(0 <= one <= most for one, most in zip(at, GRID, strict=True)):
        unit["place"] = [int(one) for one in at]
    return unit


def _parts(stimuli: Sequence[Stimulus], experiment: str) -> Iterator[tuple[str, slice]]:
    """Yield the wanted experiments, each with its rows, which are consecutive."""
    of = [row.get("experiment", "") for row in stimuli]
    for name in dict.fromkeys(of):
        if experiment in ("", name):
            start = of.index(name)
            yield name, slice(start, start + of.count(name))


def _settled(
    found: Recordings, stimuli: Sequence[Stimulus], experiment: str
) -> tuple[dict[str, Array], dict[str, Any]]:
    """Set units to NaN in experiments they did not do; return which units did each, and counts of odd values."""
    import numpy as np  # noqa: PLC0415 - heavy

    done: dict[str, Array] = {}
    constant: Array = np.zeros(len(found.units), bool)
    cut = 0
    if experiment:
        found.values[[row.get("experiment") != experiment for row in stimuli]] = np.nan
    for name, part in _parts(stimuli, experiment):
        there: Array = np.zeros(len(found.units), bool)
        for start in range(0, len(found.units), BLOCK):
            block = found.values[part, start : start + BLOCK]
            none = np.isnan(block[0]) if name else np.zeros(block.shape[1], bool)
            wrong = ~(np.abs(block) <= LARGEST) & ~none
            if wrong.any():
                row, column = np.argwhere(wrong)[0].tolist()
                raise _bad_value(block[row, column], found.units[start + column], stimuli[part.start + row])
            cut += int((~np.isnan(block[:, none])).any(axis=0).sum())
            block[:, none] = np.nan  # a view; as in the published code, the first row of a column decides
            there[start : start + BLOCK] = ~none
            constant[start : start + BLOCK] |= (block == block[0]).all(axis=0)
        done[name] = there
    each = {name: int(there.sum()) for name, there in done.items() if name}
    told = {"degenerate": int(constant.sum()), "dropped_for_first_row": cut}
    return done, {**told, "experiments": each} if each else told


def _bad_value(value: Any, unit: RecordedUnit, row: Stimulus) -> InputError:
    told = f"unit {unit['id'][:80]!r} has the value {value} at {row['id']!r}"
    then = "give numbers; a unit that did not do an experiment has NaN in all its rows"
    return InputError(told, where="recordings", next=then)


def _require_units(units: Sequence[RecordedUnit]) -> None:
    """Raise InputError if two units have the same name or place, or if a unit's network is unknown."""
    ids = [(unit["id"],) for unit in units]
    places = [(u["participant"], u["network"], *u["place"]) for u in units if "place" in u]
    for keys in (ids, places):
        twice = next((key for key, count in Counter(keys).items() if count > 1), None)
        if twice is not None:
            told = f"the unit {', '.join(map(str, twice))[:80]} stands twice"
            raise InputError(told, where="units", next="keep one column of each")
    if strange := next((unit for unit in units if unit["network"] not in NETWORKS), None):
        told = f"unit {strange['id'][:80]!r} is of the network {strange['network'][:80]!r}"
        raise InputError(told, where="networks", next=f"give one of {', '.join(NETWORKS)}")


def _require_published(dataset: str, experiment: str, units: Sequence[RecordedUnit], said: int | None) -> None:
    """Raise InputError for another edition, or if the number of units is neither the published one nor `said`."""
    counts = tuple(count for _, count in sorted(participant_counts(units).items()))
    edition = EDITIONS.get(counts, "") if dataset == FEDORENKO else OLDER.get(len(units), "")
    if edition:
        raise InputError(f"it is {edition}", where=UNITS, next=how_to_get(dataset))
    wanted = PUBLISHED[dataset][experiment] if said is None else said
    if len(units) != wanted:
        part = f"; or say `{UNITS}: {len(units)}`, if that is the part you mean" if units else ""
        raise InputError(
            f"it has {len(units):,} units, {wanted:,} are expected", where=UNITS, next=how_to_get(dataset) + part
        )
    shape = {FEDORENKO: ELECTRODES, BLANK: (REGIONS,) * READERS}.get(dataset)
    if said is None and shape and counts != shape:
        told = f"its participants have {', '.join(map(str, counts))} units, published are {', '.join(map(str, shape))}"
        raise InputError(told, where="participants", next=how_to_get(dataset))


def _require_participants(name: str, units: Sequence[RecordedUnit]) -> None:
    """Raise InputError unless the participants are the listed ones; for Blank, only their number is checked."""
    found = {*participant_counts(units)}
    if name not in PARTICIPANTS:
        if len(found) != READERS:
            told = f"it has {len(found)} participants, {READERS} are published"
            raise InputError(told, where="participants", next=how_to_get(name))
        return
    listed = {*PARTICIPANTS[name]}
    dataset = name if name == FEDORENKO else PEREIRA
    for one in sorted(found ^ listed):
        told = f"participant {one[:80]!r} {'has no unit in' if one in listed else 'is none of'} {name}"
        raise InputError(told, where="participants", next=f"{how_to_get(dataset)}: {', '.join(sorted(listed))}")


def _counted(units: Sequence[RecordedUnit]) -> dict[str, Any]:
    networks = Counter(unit["network"] for unit in units)
    placed = sum("place" in unit for unit in units)
    return {"participants": participant_counts(units), "networks": dict(networks), "placed": placed}
