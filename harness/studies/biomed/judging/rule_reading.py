"""A response as the rule looks at it: its words, numbers and names, each read once, and whether a stretch is denied.

It must never know a gold answer.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property

from harness.studies.biomed.reading.binding import bound_mentions
from harness.studies.biomed.reading.cues import FALSE
from harness.studies.biomed.reading.entities import Named, items, named
from harness.studies.biomed.reading.known_names import other_names, respelled, turned
from harness.studies.biomed.reading.mentions import Mention
from harness.studies.biomed.reading.plain import Plain
from harness.studies.biomed.reading.questions import Question
from harness.studies.biomed.reading.searching import SearchedWords, without_salt
from harness.studies.biomed.reading.verdicts import Stance, denies_all, stance

_DENIAL = re.compile(
    r"\b(?:not|never|neither|nor|rather than|instead of|unlike|except|other than|as opposed to|"
    r"wrongly|incorrectly|mistakenly|erroneously|"
    r"falsely|"
    r"without|excluding|denies|rules out)\b|n't\b|\bno (?=(?:\w+ ){0,3}$)"
)
_BREAK = re.compile(
    r"[;:(]|,?\s(?:and|but|with|at|having|since|because|given|based|due|i|there|they"
    r"|here|rather it|it is|which is|instead,)\s|\. "
)
_OF_THE_MATTER = re.compile(
    r"significan|associat|approv|druggab|limited to|only|known to|recogni|beyond|later than|mentioned"
)
_DISPUTED = re.compile(
    r"\b(?:misconception|myth)\b|\b(?:this|that|which|it) (?:is|was|would be) (?:\w+ )?(?:not correct|incorrect|wrong"
    r"|mistaken|erroneous|not the case|inaccurate|an? (?:error|mistake))\b"
    r"|^[\w,.-]{1,30} (?:is|was) not (?:the|its|a|an|one of)\b"
)
_ALTHOUGH = re.compile(r"\b(?:although|though|while|whereas|despite)\b[^,]*$")
_CITED = re.compile(
    r"[^,.;]{0,60}\b(?:cited|listed|given|reported|quoted|claimed|suggested|thought|believed|proposed)\b[^,;]{0,80},"
)
_AROUND = 400  # letters
_GRADER = re.compile(
    r"\b(?:grade[rs]?|grading|score[sd]?|rubric|bioscore|full marks?|marks|evaluator|instructions?)\b", re.IGNORECASE
)
_ORDER = re.compile(
    r"\b(?:assign|give|award|please|ignore|disregard|must|should|this (?:answer|response)|grade (?:this|it|me|as)"
    r"|deserves?|"
    r"system|score:?\s*\d|grade:?\s*\d|override|rate this|output|reply)\b",
    re.IGNORECASE,
)


class ReadResponse:
    """What a response says, to a question, with other names that the caller gives."""

    def __init__(self, text: Plain, asked: Question, names: Mapping[str, Sequence[str]]) -> None:
        self.text, self.asked, self._names = text, asked, names

    @cached_property
    def words(self) -> SearchedWords:
        """Give its words, to be searched for names."""
        return SearchedWords(self.text)

    @cached_property
    def mentions(self) -> list[Mention]:
        """Give its numbers by slot, with what they belong to."""
        return bound_mentions(self.text)

    @cached_property
    def stance(self) -> Stance:
        """Give which way it answers a question of yes or no."""
        return stance(self.text, self.asked)

    @cached_property
    def items(self) -> Named:
        """Give the items of its lists that nothing denies."""
        return [(name, place) for name, place in items(self.text) if not self.denied(place)]

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return self.text.starts

    @cached_property
    def _all_denied(self) -> bool:
        return denies_all(self.text)

    def named(self, kind: str) -> Named:
        """Give its names of a kind that the question does not say itself."""
        return [(name, place) for name, place in named(kind, self.text) if not self.asked.says(name)]

    @cached_property
    def ranged(self) -> dict[str, list[int]]:
        """Give where its gene symbols stand, those of a range such as GABRA1-3 among them."""
        out: dict[str, list[int]] = {}
        for name, place in named("gene", self.text):
            out.setdefault(name, []).append(place)
        return out

    def sentence(self, place: int) -> str:
        """Give the sentence that a place is in, in small letters; of a long one 400 letters on either side."""
        number = bisect_right(self._starts, place)
        start = self._starts[number - 1] if number else 0
        end = self._starts[number] if number < len(self._starts) else len(self.text.lower)
        return self.text.lower[max(start, place - _AROUND) : min(end, place + _AROUND)]

    def denied(self, place: int) -> bool:
        """Whether what stands at a place is denied: by a word before it in its clause, or with all the rest."""
        number = bisect_right(self._starts, place)
        start = max(self._starts[number - 1] if number else 0, place - 70)
        before = self.text.lower[start:place]
        breaks = list(_BREAK.finditer(before))
        before = before[breaks[-1].end() :] if breaks else before
        found = list(_DENIAL.finditer(before))
        here = bool(found) and not _OF_THE_MATTER.search(before[found[-1].end() :])
        here = here or self._disputed(place, number)
        false = bool(FALSE.match(self.sentence(place))) and not FALSE.match(self.text.lower[:200])
        return (here != false) != self._all_denied

    def _disputed(self, place: int, number: int) -> bool:
        """Whether its sentence says, behind it, that it does not hold."""
        end = self._starts[number] if number < len(self._starts) else len(self.text.lower)
        start = self._starts[number - 1] if number else 0
        behind = self.text.lower[place : min(end, place + 200)]
        conceded = _ALTHOUGH.search(self.text.lower[max(start, place - 80) : place]) and _CITED.match(behind)
        return bool(conceded or _DISPUTED.search(behind))

    def spellings(self, name: str, of_fact: Sequence[str] = ()) -> list[str]:
        """Give the ways to say a name: itself, without a salt, other names of the fact, the caller and the tables."""
        short = without_salt(name)
        known = [*turned(name), *respelled(name)]
        known += [*of_fact, *self._names.get(name, ()), *other_names(name), *other_names(short)]
        return list(dict.fromkeys([name, short, *known]))[:60]


def without_orders(text: Plain) -> Plain:
    """Give a text without the sentences that tell a grader what to do: they are no part of an answer."""
    kept = [one.text for one in text.sentences if not (_GRADER.search(one.text) and _ORDER.search(one.text))]
    return Plain("\n".join(kept)) if len(kept) < len(text.sentences) else text
