"""Whose units the published arrays hold: participants in the order of the arrays, and which experiments each did.

Facts of the recordings. It must never know a score.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from harness.studies.brain.terms import BLANK, EXP1, EXP2, FEDORENKO, PEREIRA

_FEWER = {"288": 1352, "296": 1337}
_ALL = ("018", "199", "215", "288", "289", "296", "343", "366", "407", "426")
UNITS: Mapping[str, Mapping[str, int]] = {  # language voxels, electrodes, regions of each participant
    PEREIRA: {name: _FEWER.get(name, 1358) for name in _ALL},
    FEDORENKO: {str(place): count for place, count in enumerate((47, 8, 9, 15, 18), 1)},
    BLANK: {str(place): 12 for place in range(5)},
}
BOTH = frozenset(("018", "288", "289", "296", "426"))  # did both experiments of Pereira
ONE_ALONE: Mapping[str, tuple[str, ...]] = {EXP1: ("199", "343", "366", "407"), EXP2: ("215",)}  # did this one alone


def units_of(dataset: str, experiment: str = "") -> dict[str, int]:
    """Give each participant of a data set, or of one experiment of Pereira, with the units of the language network."""
    did = {*BOTH, *ONE_ALONE[experiment]} if dataset == PEREIRA and experiment in ONE_ALONE else UNITS[dataset].keys()
    return {name: count for name, count in UNITS[dataset].items() if name in did}


def owners(dataset: str, experiment: str = "") -> list[str]:
    """Name the participant of each unit of an array of all units, in their order."""
    return [name for name, count in units_of(dataset, experiment).items() for _ in range(count)]


def spelled(dataset: str, name: str) -> str:
    """Spell a participant's name as the recordings do: a table may have lost the zero of `018`."""
    return name.zfill(3) if dataset == PEREIRA else name


def in_order(names: Iterable[str]) -> list[str]:
    """Sort participants: numbers by their size."""
    return sorted(names, key=lambda name: (not name.isdecimal(), int(name) if name.isdecimal() else 0, name))
