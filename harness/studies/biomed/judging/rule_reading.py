"""A response as the rule reads it: its words, numbers and names, each read once, and which passages it denies."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from harness.studies.biomed.reading.binding import bound_mentions, signed
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
    r"contrary to(?=[^,]*$)|to be confused with|to be mistaken for|without|excluding|denies|rules out)\b|n't\b"
    r"|\bno (?=(?:\w+ ){0,3}$)"
)
_BREAK = re.compile(
    r"[;:(]|,\s(?=p\b|its\b|being\b)|,?\s(?:and|but|(?<!confused )with|at|having|since|because|given|based|due|i"
    r"|there|they"
    r"|here|rather it|it is|which is|instead,)\s|\. "
)
_OF_THE_MATTER = re.compile(
    r"significan|associat|approv|druggab|limited to|only|known to|recogni|beyond|later than|mentioned|mistaken"
    r"|wrong\b|sure"
    r"|certain|entirely|100|fully|misremember|confus|positive\b|absolutely"
)
_DISPUTED = re.compile(
    r"\b(?:misconception|myth)\b|\b(?:this|that|which|it) (?:is|was|would be) (?:\w+ )?(?:not correct|incorrect|wrong"
    r"|mistaken|erroneous|not the case|inaccurate|an? (?:error|mistake))\b"
    r"|^[\w,.-]{1,30} but (?:the latter|that one|the second(?: one)?|the other) (?:\w+ ){0,2}?(?:fails?|drops? out"
    r"|falls? out"
    r"|does(?:n't| not)|is(?:n't| not)|is (?:out|excluded|ruled out|discarded))\b"
    r"|^[\w,.-]{1,30} (?:fails?|misses|drops out|does(?:n't| not) (?:pass|qualify|count|make it)"
    r"|is (?:excluded|out|discarded|ruled out))\b"
    r"|^[\w,.-]{1,30} (?:is|was|are)(?:n't| not) (?:the|its|a|an|one of|among|it|that|part of)\b"
)
_ALTHOUGH = re.compile(r"\b(?:although|though|while|whereas|despite)\b[^,]*$")
_CITED = re.compile(
    r"[^,.;]{0,60}\b(?:cited|listed|given|reported|quoted|claimed|suggested|thought|believed|proposed)\b[^,;]{0,80},"
)
_AHEAD_OF = re.compile(
    r"\b(?:ahead of|followed by|more (?:often|frequent(?:ly)?|common(?:ly)?|numerous) than|outnumber(?:s|ing)?"
    r"|before|over|beat(?:s|ing)?"
    r"|next (?:comes?|is|are))\W+(?:the |an? |that of )?(?:snp |gene |drug )?$"
)
_SECOND = re.compile(
    r"[\w-]{2,40}(?: [\w-]{2,20})?\s(?:comes?|is|are|being|ranks?|as)\s(?:in )?(?:a |the )?(?:close "
    r"|distant )?(?:second|next|third|runner-up)\b"
    r"|[\w-]{2,40},? (?:as )?(?:the |a )?(?:close |distant )?(?:runner-up|second)\b"
    r"|[\w-]+\W{1,3}(?:is|are|comes?|ranks?) (?:at the )?(?:bottom|last|least|rarest)\b"
    r"|[^.\n]{2,60}\b(?:less (?:often|frequent|common)|also (?:common|frequent|seen))\b"
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
    """A response to a question, with further names from the caller."""

    def __init__(self, text: Plain, asked: Question, names: Mapping[str, Sequence[str]]) -> None:
        self.text, self.asked, self._names = text, asked, names

    @cached_property
    def words(self) -> SearchedWords:
        """The words of the response, which can be searched for names."""
        return SearchedWords(self.text)

    @cached_property
    def mentions(self) -> list[Mention]:
        """The numbers of the response by slot, with what they belong to."""
        return _of_the_slot(bound_mentions(self.text), self.asked, self.text.lower)

    @cached_property
    def stance(self) -> Stance:
        """The response's answer to a yes/no question."""
        return stance(self.text, self.asked)

    @cached_property
    def items(self) -> Named:
        """The items of the response's lists that are not denied."""
        return [(name, place) for name, place in items(self.text) if not self.denied(place)]

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return self.text.starts

    @cached_property
    def _all_denied(self) -> bool:
        return denies_all(self.text)

    def named(self, kind: str) -> Named:
        """Return the names of a kind that the response says and the question does not."""
        return [(name, place) for name, place in named(kind, self.text) if not self.asked.says(name)]

    @cached_property
    def snps(self) -> Named:
        """The SNPs that the response names, also the question's."""
        return named("snp", self.text)

    @cached_property
    def ranged(self) -> dict[str, list[int]]:
        """The positions of the response's gene symbols, including those of a range such as GABRA1-3."""
        out: dict[str, list[int]] = {}
        for name, place in named("gene", self.text):
            out.setdefault(name, []).append(place)
        return out

    def sentence(self, place: int) -> str:
        """Return the sentence around a position in lower case, cut to 400 letters on either side."""
        number = bisect_right(self._starts, place)
        start = self._starts[number - 1] if number else 0
        end = self._starts[number] if number < len(self._starts) else len(self.text.lower)
        return self.text.lower[max(start, place - _AROUND) : min(end, place + _AROUND)]

    def span(self, place: int) -> range:
        """Return where the sentence around a position begins and ends."""
        number = bisect_right(self._starts, place)
        start = self._starts[number - 1] if number else 0
        return range(start, self._starts[number] if number < len(self._starts) else len(self.text.lower))

    def denied(self, place: int) -> bool:
        """Whether the text at a position is denied: by its own sentence, or together with the whole response."""
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
        """Whether the rest of the sentence says that the text at `place` does not hold."""
        end = self._starts[number] if number < len(self._starts) else len(self.text.lower)
        start = self._starts[number - 1] if number else 0
        behind = self.text.lower[place : min(end, place + 200)]
        conceded = _ALTHOUGH.search(self.text.lower[max(start, place - 80) : place]) and _CITED.match(behind)
        return bool(conceded or _DISPUTED.search(behind))

    def behind(self, place: int) -> bool:
        """Whether the text ranks what stands at a position behind something else: "ahead of X", "X comes second"."""
        lower = self.text.lower
        return bool(_AHEAD_OF.search(lower[max(0, place - 50) : place]) or _SECOND.match(lower[place : place + 90]))

    def spellings(self, name: str, of_fact: Sequence[str] = ()) -> list[str]:
        """Return the ways to say a name: itself, without a salt, and other names from fact, caller and tables."""
        short = without_salt(name)
        known = [*turned(name), *respelled(name)]
        known += [*of_fact, *self._names.get(name, ()), *other_names(name), *other_names(short)]
        return list(dict.fromkeys([name, short, *known]))[:60]


def _of_the_slot(found: list[Mention], asked: Question, lower: str) -> list[Mention]:
    """Return the numbers, with those that have no words of their own in the slot that the question asks for.

    "Something like -0.02" is an effect if an effect is asked for, "two is the highest" a phase.
    """
    said = {one.slot for one in found}
    if "b" in asked.slots and not said & {"b", "odds"}:
        found = [replace(one, slot="b", of="") if one.slot in ("decimal", "frequency") else one for one in found]
        return [signed(lower, one) if one.slot == "b" else one for one in found]
    if "phase" in asked.slots and "phase" not in said:
        return [replace(one, slot="phase") if one.slot == "count" and one.text in "1234" else one for one in found]
    return found


def without_orders(text: Plain) -> Plain:
    """Return a text without the sentences that tell a grader what to do; those are not part of an answer."""
    kept = [one.text for one in text.sentences if not (_GRADER.search(one.text) and _ORDER.search(one.text))]
    return Plain("\n".join(kept)) if len(kept) < len(text.sentences) else text
