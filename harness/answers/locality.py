"""Labelling rules for answers that name a city: correct, avoidant or incorrect, rule set OURS-v1.

The full rules: docs/reliability-rules.md#rules-locality. A label depends only on the response, the item and the
gazetteer.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from harness.answers.gazetteer import Gazetteer, Span, named, plain, whole
from harness.answers.prepare import RULE_SET, cue
from harness.answers.result import LabelResult, truncated
from harness.answers.text_cache import cached_by_text

# The rule: (?:\bis|city of|[Aa]nswer:)\s+([A-Z][a-z]+)(?![A-Za-z]) claims that a word is a city. It is split in three
# patterns, each with its literal beginning, because `re` searches fast for a literal; `plain` has left one space for
# \s+.
_WORD = "([A-Z][a-z]+)(?![A-Za-z])"
_CLAIMS = (
    ("is ", re.compile(rf"is (?<=\bis ){_WORD}")),
    ("city of ", re.compile(f"city of {_WORD}")),
    ("nswer: ", re.compile(f"nswer: (?<=[Aa]nswer: ){_WORD}")),
)


class _Reading(NamedTuple):
    """A response as the rules read it, independent of the item: its text, its names, the words claimed to be a city."""

    text: str
    cities: dict[str, Span]
    claims: dict[str, Span]


@cached_by_text(256)
def _read(response: str, gazetteer: Gazetteer) -> _Reading:
    text = plain(response)
    mentions = gazetteer.mentions(text)
    cities: dict[str, Span] = {}
    for start, end in mentions:
        cities.setdefault(text[start:end], (start, end))
    claims: dict[str, Span] = {}
    for before, claimed in _CLAIMS:
        if before in text:
            starts = {start for start, _ in mentions}
            for claim in claimed.finditer(text):
                word = claim.group(1)
                # a word that begins a name is read as that name, of one word or several
                if word.lower() not in gazetteer.common and claim.start(1) not in starts:
                    claims.setdefault(word, claim.span(1))
    return _Reading(text, cities, claims)


_named = lru_cache(maxsize=16_384)(named)


def locality(city: str, target: str, response: str, gazetteer: Gazetteer) -> LabelResult:
    """Label an answer to which city is the most populous near `city`, by the place names in it.

    `c` if it contains the target, `i` if it names or claims another city, else `a`; `n_cities` counts the named cities.
    """
    text, cities, claims = _read(response, gazetteer)
    own, answer, lowered = _named(city), _named(target), text.lower()
    right = whole(answer, lowered)
    n_cities, names = len(cities), list(cities)
    found = cities
    if claims:
        found = {**claims, **cities}
        names = sorted(found, key=found.__getitem__)
    if names and own in lowered:
        names = [name for name in names if name.lower() != own]
    if right:
        spelled = next((name for name in names if name.lower() == answer), None)
        n_cities += spelled not in cities
        if spelled is None:
            found = {**found, target: right}
            names = sorted((*names, target), key=found.__getitem__)
    if not names:
        subtype, span = cue(text)
        return LabelResult("a", subtype, RULE_SET, span, (), 0, {"n_cities": n_cities})
    span, more = right or found[names[0]], {"n_cities": n_cities}
    return LabelResult("c" if right else "i", None, RULE_SET, span, truncated(names), len(names), more)
