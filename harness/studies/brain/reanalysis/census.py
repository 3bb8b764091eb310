"""Whose rows a published file holds: the participants of its data set or experiment, each with the units recorded.

The numbers of Fedorenko's participants stand in no published file that is here, so these are known by their order. It
must never know a score.
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
    """What some rows of a file are of, as a message names it, and their network."""

    what: str
    network: str = LANGUAGE

    def __str__(self) -> str:
        """Name the rows for people."""
        return f"{self.what} in {self.network}"


def network(row: TableRow, column: str) -> str:
    """Read a network's name; InputError for one that there is not."""
    name = row.text(column)
    if name not in NETWORKS:
        raise row.refused(column, f"it is none of {', '.join(NETWORKS)}")
    return name


def person(row: TableRow, told: PublishedName, column: str) -> str:
    """Read a participant's name as the recordings spell it; InputError for one who is not of the file's data set."""
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
    """Check that every participant of a file's data set and experiment is there; InputError where not."""
    known, have = units_of(told.dataset, told.experiment), {*people}
    if len(have) != len(known):
        lost = f", among them no {', '.join(in_order(known.keys() - have))}" if have < known.keys() else ""
        place = f"{told.dataset}, {told.experiment}" if told.experiment else told.dataset
        raise InputError(f"{of} has {len(have)} participants{lost}; {place} has {len(known)}", where=name, next=ADVICE)


def every_unit(name: str, told: PublishedName, groups: Mapping[RowGroup, Iterable[str]]) -> None:
    """Check that each group has a row for each unit of each participant; InputError with the participant and counts.

    How many units a participant has outside the language network is known by the first group of that network alone.
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
