"""Checks whose rows a published file contains: all participants of its data set or experiment, with all their units.

The names of Fedorenko's participants are in none of the published files, so their order identifies them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from harness.errors import InputError
from harness.studies.brain.reanalysis.naming import PublishedName
from harness.studies.brain.reanalysis.people import UNITS, in_order, spelled, units_of
from harness.studies.brain.reanalysis.values import ADVICE, TableRow
from harness.studies.brain.terms import FEDORENKO, LANGUAGE, NETWORKS


class RowGroup(NamedTuple):
    """A named group of rows of a published file, and the brain network that they belong to."""

    what: str
    network: str = LANGUAGE

    def __str__(self) -> str:
        """Return the name of the rows for readers."""
        return f"{self.what} in {self.network}"


def network(row: TableRow, column: str) -> str:
    """Read the name of a brain network from a table cell; raise InputError if it is unknown."""
    name = row.text(column)
    if name not in NETWORKS:
        raise row.refused(column, f"it is none of {', '.join(NETWORKS)}")
    return name


def person(row: TableRow, told: PublishedName, column: str) -> str:
    """Read a participant's name from a table cell, spelled as in the recordings; InputError for an unknown one."""
    name = spelled(told.dataset, row.text(column))
    if not name or not name.isprintable():
        raise row.refused(column, "it holds no name")
    if told.dataset != FEDORENKO and name not in UNITS[told.dataset]:
        raise row.refused(column, f"it names none of the participants of {told.dataset}")
    if told.dataset != FEDORENKO and name not in units_of(told.dataset, told.experiment):
        raise row.refused(
            column, f"it names a participant who did not do {told.dataset}'s experiment {told.experiment}"
        )
    return name


def everybody(name: str, told: PublishedName, people: Iterable[str], of: RowGroup) -> None:
    """Raise InputError unless rows of every participant of the file's data set and experiment are present."""
    known, have = units_of(told.dataset, told.experiment), {*people}
    if len(have) != len(known):
        lost = f", among them no {', '.join(in_order(known.keys() - have))}" if have < known.keys() else ""
        place = f"{told.dataset}, {told.experiment}" if told.experiment else told.dataset
        raise InputError(f"{of} has {len(have)} participants{lost}; {place} has {len(known)}", where=name, next=ADVICE)


def every_unit(name: str, told: PublishedName, groups: Mapping[RowGroup, Iterable[str]]) -> None:
    """Raise InputError, with participant and counts, unless each group has a row for each unit of each participant.

    The number of a participant's units outside the language network is taken from the first group of that network.
    """
    first: dict[str, tuple[str, Mapping[str, int]]] = {}
    for of, people in groups.items():
        counts = Counter(people)
        everybody(name, told, counts, of)
        if of.network == LANGUAGE:
            known = units_of(told.dataset, told.experiment)
            first[LANGUAGE] = ("the recordings have", dict(zip(in_order(counts), known.values(), strict=True)))
        whose, expected = first.setdefault(of.network, (f"{of.what} has", counts))
        if odd := next((who for who in in_order(expected) if counts[who] != expected[who]), None):
            told_too = f"participant {odd} has {counts[odd]} units of {of}; {whose} {expected[odd]}"
            raise InputError(told_too, where=name, next=ADVICE)
