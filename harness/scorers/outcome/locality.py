"""Whether an answer names the city asked for, under the rule set OURS-v1 (reliability 4.1).

It knows one response, what was asked and the names of a gazetteer; it must never know a model, a prompt or a file.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from harness.scorers.outcome.gazetteer import Gazetteer, Span, named, plain, whole
from harness.scorers.outcome.result import REMEMBERED_LENGTH, Outcome, shown
from harness.scorers.prepare import RULE_SET, cue

# Section 4.1: (?:\bis|city of|[Aa]nswer:)\s+([A-Z][a-z]+)(?![A-Za-z]), of which a word is claimed to be a city; in three,
# each with what it begins with, because the engine runs to a literal; `plain` has left one blank for \s+.
_WORD = "([A-Z][a-z]+)(?![A-Za-z])"
_CLAIMS = (
    ("is ", re.compile(rf"is (?<=\bis ){_WORD}")),
    ("city of ", re.compile(f"city of {_WORD}")),
    ("nswer: ", re.compile(f"nswer: (?<=[Aa]nswer: ){_WORD}")),
)


class _Reading(NamedTuple):
    """A response as the rules see it, whatever was asked: its text, the names in it, the words claimed to be a city."""

    text: str
    cities: dict[str, Span]
    claims: dict[str, Span]


def _read(response: str, gazetteer: Gazetteer) -> _Reading:
    text = plain(response)
    mentions = gazetteer.mentions(text)
    cities: dict[str, Span] = {}
    for start, end in mentions:
        cities.setdefault(text[start:end], (start, end))
    claims: dict[str, Span] = {}
    starts: set[int] | None = None
    for before, claimed in _CLAIMS:
        for claim in claimed.finditer(text) if before in text else ():
            word, starts = claim.group(1), starts or {start for start, _ in mentions}
            # a word that begins a name is read as that name, of several words or of one
            if word.lower() not in gazetteer.common and claim.start(1) not in starts:
                claims.setdefault(word, claim.span(1))
    return _Reading(text, cities, claims)


# The same short answer comes back for many items, and a refusal word for word; the gazetteer stays the same.
_read_again, _cue_again = lru_cache(maxsize=256)(_read), lru_cache(maxsize=32)(cue)
_named = lru_cache(maxsize=16_384)(named)


def locality(city: str, target: str, response: str, gazetteer: Gazetteer) -> Outcome:
    """Label an answer to which city is the most populous near `city`; `n_cities` counts the cities it mentions."""
    short = len(response) <= REMEMBERED_LENGTH
    text, cities, claims = _read_again(response, gazetteer) if short else _read(response, gazetteer)
    n_cities, own, answer = len(cities), _named(city), _named(target)
    right = whole(answer, text.lower())
    found = {**claims, **cities} if claims else cities
    if found:
        found = {name: span for name, span in found.items() if name.lower() != own}
    if right:
        spelled = next((name for name in found if name.lower() == answer), None)
        n_cities += spelled not in cities
        if spelled is None:
            found = {**found, target: right}
    if not found:
        subtype, span = _cue_again(text) if short else cue(text)
        return Outcome("a", subtype, RULE_SET, span, (), 0, {"n_cities": n_cities})
    names = sorted(found, key=found.__getitem__) if len(found) > 1 else list(found)
    span, more = right or found[names[0]], {"n_cities": n_cities}
    return Outcome("c" if right else "i", None, RULE_SET, span, shown(names), len(names), more)
