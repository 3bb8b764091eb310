"""What settles an item of locality: a target that stands alone, can be told from the question, and its other names.

It knows places and their names (docs/reliability-rules.md#locality-target); it must never know a draw, a prompt's text
or how a response is scored.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from harness.scorers.outcome.names import COMMON_WORDS, STOP_WORDS, stripped
from harness.studies.reliability.data.cities import City
from harness.studies.reliability.data.sphere import haversine

EDGE = 30  # km: where a larger city begins is not settled better than this
RIVAL = 5  # a name stands for a place where no other place of that name has a fifth of its people
SHORTEST = 4  # characters of an alternate name: shorter ones are codes of airports, and words
_MARKS = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u02bb\u02bc\u00b4\u2032`"), "'"),
    **dict.fromkeys(map(ord, "-\u2010\u2011\u2013\u2014"), " "),
}
_TAIL = re.compile(r"\s*\([^()]*\)\s*$")


def folded(name: str) -> str:
    """Give a name as two names are compared: without accents and case, apostrophes alike, hyphens as spaces."""
    if name.isascii() and name.isalpha():
        return name.lower()
    return " ".join(stripped(name.translate(_MARKS)).casefold().split())


def spellings(name: str) -> set[str]:
    """Give the folded forms of a name: a bracketed tail is optional, and either side of ` / ` counts."""
    if "(" not in name and " / " not in name:
        return {folded(name)} - {""}
    found = {folded(part) for side in (name, *name.split(" / ")) for part in (side, _TAIL.sub("", side))}
    return found - {""}


def scorable(asked: str, target: str) -> bool:
    """Whether an answer can be told from the question and from a refusal.

    It cannot where the target is a word that questions and refusals are made of, as every word of every wording is
    one, or where the target and the asked city's name hold one another.
    """
    own = f" {folded(asked)} "
    return not any(
        STOP_WORDS.issuperset(form.split()) or f" {form} " in own or own in f" {form} " for form in spellings(target)
    )


class PlaceNames:
    """All names of a table, and which of a place's alternate names stand for that place alone."""

    def __init__(self, rows: Sequence[City], sections: Iterable[City]) -> None:
        self._rows: dict[str, list[City]] = {}
        for city in rows:
            for form in spellings(city.name):
                self._rows.setdefault(form, []).append(city)
        self._own: dict[int, list[tuple[str, list[City]]]] = {}
        self._barred = {folded(city.country) for city in rows}.union(*(spellings(city.name) for city in sections))

    def accepted(self, target: City, origin: City, d_km: float) -> list[str]:
        """Give the target's alternate names that settle an item of this origin and distance, one of each spelling."""
        if target.number not in self._own:
            self._own[target.number] = self._alternates(target)
        here = (origin.lat, origin.lng)
        return [
            name
            for name, others in self._own[target.number]
            if not any(haversine(here, (city.lat, city.lng)) <= d_km for city in others)
        ]

    def _alternates(self, target: City) -> list[tuple[str, list[City]]]:
        """Give the names that stand for a place wherever it is asked for, each with the other places of that name."""
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
        """Whether an alternate name is a name at all, and neither a country's nor a section's."""
        if len(name) < SHORTEST or (name[0].islower() and unicodedata.name(name[0], "").startswith("LATIN")):
            return False
        return form not in self._barred and form not in COMMON_WORDS and not STOP_WORDS.issuperset(form.split())
