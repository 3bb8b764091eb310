"""Checks that make a locality item's answer clear: no rival of the target, no overlap with the question, other names.

Works on places and their names (docs/reliability-rules.md#locality-target); independent of draws, prompt texts and
scoring.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from harness.answers.names import COMMON_WORDS, STOP_WORDS, stripped
from harness.studies.reliability.data.cities import City
from harness.studies.reliability.data.sphere import haversine

EDGE = 30  # km; the boundary of a larger city is not known more precisely
RIVAL = 5  # a name denotes a place if no other place of that name has a fifth of its population
SHORTEST = 4  # characters of an alternate name; shorter ones are airport codes and words
_MARKS = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u02bb\u02bc\u00b4\u2032`"), "'"),
    **dict.fromkeys(map(ord, "-\u2010\u2011\u2013\u2014"), " "),
}
_TAIL = re.compile(r"\s*\([^()]*\)\s*$")


def folded(name: str) -> str:
    """Return a place name normalised for comparison: no accents, lower case, one apostrophe, hyphens as spaces."""
    if name.isascii() and name.isalpha():
        return name.lower()
    return " ".join(stripped(name.translate(_MARKS)).casefold().split())


def spellings(name: str) -> set[str]:
    """Return the normalised spellings of a place name: a bracketed tail is optional, either side of ` / ` counts."""
    if "(" not in name and " / " not in name:
        return {folded(name)} - {""}
    found = {folded(part) for side in (name, *name.split(" / ")) for part in (side, _TAIL.sub("", side))}
    return found - {""}


def scorable(asked: str, target: str) -> bool:
    """Whether an answer naming the target can be told from one that repeats the question or refuses.

    It cannot if the target is a common word of questions and refusals, which every word of every wording is, or if one
    of the target and the asked city's name contains the other.
    """
    own = f" {folded(asked)} "
    return not any(
        STOP_WORDS.issuperset(form.split()) or f" {form} " in own or own in f" {form} " for form in spellings(target)
    )


class PlaceNames:
    """The names of all places in a table, and which alternate names mean one place alone."""

    def __init__(self, rows: Sequence[City], sections: Iterable[City]) -> None:
        self._rows: dict[str, list[City]] = {}
        for city in rows:
            for form in spellings(city.name):
                self._rows.setdefault(form, []).append(city)
        self._own: dict[int, list[tuple[str, list[City]]]] = {}
        self._barred = {folded(city.country) for city in rows}.union(*(spellings(city.name) for city in sections))

    def accepted(self, target: City, origin: City, d_km: float) -> list[str]:
        """Return the target's alternate names that mean no other city near the origin, one of each spelling."""
        if target.number not in self._own:
            self._own[target.number] = self._alternates(target)
        here = (origin.lat, origin.lng)
        return [
            name
            for name, others in self._own[target.number]
            if not any(haversine(here, (city.lat, city.lng)) <= d_km for city in others)
        ]

    def _alternates(self, target: City) -> list[tuple[str, list[City]]]:
        """Return the names that denote a place for any origin, each with the other places of that name."""
        found: dict[str, tuple[str, list[City]]] = {}
        forms = spellings(target.name)
        for name in sorted(target.alternates):
            form = folded(name)
            if form not in forms and form not in found and self._stands(name, form):
                others = [city for city in self._rows.get(form, ()) if city.number != target.number]
                if all(RIVAL * (city.population or 0) < (target.population or 0) for city in others):
                    found[form] = name, others
        return list(found.values())

    def _stands(self, name: str, form: str) -> bool:
        """Whether an alternate name is really a name, and not that of a country or a section."""
        if len(name) < SHORTEST or (name[0].islower() and unicodedata.name(name[0], "").startswith("LATIN")):
            return False
        return form not in self._barred and form not in COMMON_WORDS and not STOP_WORDS.issuperset(form.split())
