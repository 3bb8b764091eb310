"""The participants of the published arrays: their order, their units, and which experiments each took part in.

Facts of the recordings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from harness.studies.brain.terms import BLANK, EXP1, EXP2, FEDORENKO, PEREIRA

_FEWER = {"288": 1352, "296": 1337}
_ALL = ("018", "199", "215", "288", "289", "296", "343", "366", "407", "426")
UNITS: Mapping[str, Mapping[str, int]] = {  # language voxels, electrodes or regions of each participant
    PEREIRA: {name: _FEWER.get(name, 1358) for name in _ALL},
    FEDORENKO: {str(place): count for place, count in enumerate((47, 8, 9, 15, 18), 1)},
    BLANK: {str(place): 12 for place in range(5)},
}
BOTH = frozenset(("018", "288", "289", "296", "426"))  # participants of both experiments of Pereira
ONE_ALONE: Mapping[str, tuple[str, ...]] = {EXP1: ("199", "343", "366", "407"), EXP2: ("215",)}  # took part in only one


def units_of(dataset: str, experiment: str = "") -> dict[str, int]:
    """Return the participants of a data set, or of one experiment of Pereira, with their number of language units."""
    did = {*BOTH, *ONE_ALONE[experiment]} if dataset == PEREIRA and experiment in ONE_ALONE else UNITS[dataset].keys()
    return {name: count for name, count in UNITS[dataset].items() if name in did}


def owners(dataset: str, experiment: str = "") -> list[str]:
    """Return the participant of each unit of an array of all units, in order."""
    return [name for name, count in units_of(dataset, experiment).items() for _ in range(count)]


def spelled(dataset: str, name: str) -> str:
    """Return a participant's name as the recordings write it: a table's `18` may stand for `018`."""
    return name.zfill(3) if dataset == PEREIRA else name


def in_order(names: Iterable[str]) -> list[str]:
    """Return participants sorted, with numbers by size."""
    return sorted(names, key=lambda name: (not name.isdecimal(), int(name) if name.isdecimal() else 0, name))
