"""Letters of options that a text puts forward, takes back, or leaves open.

It knows four options and one text; it must never know which option is right, or how a label is made.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from harness.scorers.outcome.v2 import science_letters_patterns as patterns
from harness.scorers.outcome.v2.claims import Span, avoidance
from harness.scorers.outcome.v2.science_options import OptionMention, has_number
from harness.scorers.outcome.v2.science_ordinals import ordinals

STATED, MARKED = 2, 1


@dataclass(frozen=True, slots=True)
class LetterClaim:
    """Letters put forward at one place, several where they stand side by side, and how strongly."""

    letters: tuple[str, ...]
    span: Span
    strength: int


def letters(
    options: Mapping[str, str], text: str, said: list[OptionMention]
) -> tuple[list[LetterClaim], frozenset[str], bool]:
    """Give the letters put forward, in order, the letters taken back, and whether the text leaves the choice open."""
    listed = _listed(options, text, said)
    rejected_at, rejected = _rejected(text)
    all_four = [found.span() for found in patterns.ALL_FOUR.finditer(text)][:20]
    claims: dict[int, LetterClaim] = {}
    for strength, forms in ((MARKED, patterns.MARKED), (STATED, patterns.STATED)):
        for pattern in forms:
            for found in pattern.finditer(text):
                at = next(
                    start for start in (found.start(group) for group in range(1, pattern.groups + 1)) if start >= 0
                )
                if (
                    at in rejected_at
                    or any(start <= at < end for start, end in all_four)
                    or (strength == MARKED and at in listed)
                    or _article(text, at, said)
                ):
                    continue
                claims[at] = LetterClaim(_together(text, at), (at, at + 1), strength)
    excepted = {found.start(1) for found in patterns.EXCEPT.finditer(text)}
    rejected -= {text[at] for at in excepted}
    claims.update((at, LetterClaim((text[at],), (at, at + 1), STATED)) for at in excepted)
    for letter, span in ordinals(text, any(map(has_number, options.values()))):
        claims.setdefault(span[0], LetterClaim((letter,), span, STATED))
    if (last := patterns.EITHER.search(text)) and not avoidance(text)[1] and last.start(1) not in claims:
        claims[last.start(1)] = LetterClaim((last.group(1), last.group(2)), last.span(1), MARKED)
    ordered = [claims[at] for at in sorted(claims)]
    if _spaced(options, text, said):
        ordered.insert(0, LetterClaim((text[0].upper(),), (0, 1), MARKED))
    return ordered, rejected, _undecided(text, ordered)


def _spaced(options: Mapping[str, str], text: str, said: list[OptionMention]) -> bool:
    """Whether a text begins with a letter and, after a blank, the text of that very option."""
    begins = re.match(r"([A-Da-d]) ", text)
    if not begins or not said or said[0].span[0] > 8:
        return False
    letter = begins.group(1).upper()
    return said[0].letter == letter and not options[letter].lower().startswith(f"{letter.lower()} ")


def _article(text: str, at: int, said: list[OptionMention]) -> bool:
    """Whether a letter is an article: the text of an option, or a small word, comes right behind it."""
    if text[at] not in "Aa" or not text[at + 1 : at + 2].isspace() or text[at + 1 : at + 2] == "\n":
        return False
    return any(0 < mention.span[0] - at <= 2 for mention in said) and (text[at] == "a" or text[at - 1 : at] not in "(")


def _together(text: str, at: int) -> tuple[str, ...]:
    """Give the letter at a place, and those that stand beside it: `A and C`."""
    found = patterns.BOTH.match(text, at)
    if found and not re.match(r"[\"')]{0,2} (?:is|are) (?:wrong|not|incorrect)", text[found.end() :]):
        return found.group(1), found.group(2)
    before = patterns.BOTH.search(text, max(0, at - 16), at + 1)
    if before and before.end(2) == at + 1:
        return before.group(1), before.group(2)
    return (text[at].upper(),)


def _listed(options: Mapping[str, str], text: str, said: list[OptionMention]) -> frozenset[int]:
    """Give the places of letters that only restate the options: each before its own text, for most of the options."""
    places: dict[str, list[int]] = {}
    for mention in said:
        found = re.search(
            r"(?:^|[\s(\"'\[])([A-Da-d])(?:[\"')\].:]{1,3} ?| - | )(?:the |an? |it |is |in |to )*\"?$",
            text[max(0, mention.span[0] - 16) : mention.span[0]],
            re.IGNORECASE,
        )
        if found and found.group(1).upper() == mention.letter:
            places.setdefault(mention.letter, []).append(max(0, mention.span[0] - 16) + found.start(1))
    if len(places) < len(options) - 1:
        return frozenset()
    if min(places) != "A" and min(each for at in places.values() for each in at) <= 2:
        return frozenset()  # it names an option, and then goes on with those behind it
    runs = [places[letter][0] for letter in sorted(places)]
    if runs != sorted(runs):
        return frozenset()
    return frozenset(at for each in places.values() for at in each[:1])


def _rejected(text: str) -> tuple[frozenset[int], frozenset[str]]:
    """Give the places and the letters that the text takes back."""
    places: set[int] = set()
    aside: set[int] = set()
    for found in patterns.ASIDE.finditer(text):
        aside.add(found.start(1))
    for pattern in (patterns.NOT, patterns.WRONG):
        for found in pattern.finditer(text):
            if (
                pattern is patterns.WRONG
                and text[found.start(1)] == "A"
                and re.match(r"A [a-z]", text[found.start(1) :][:3])
                and not re.match(r"A (?:is|was|can|does|isn|and|or|seems|would)\b", text[found.start(1) :][:9])
            ):
                continue
            places.add(found.start(1))
            more = found.start(2)
            places.update(more + each.start() for each in re.finditer(r"\b[A-D]\b", found.group(2)))
    return frozenset(places | aside), frozenset(text[at] for at in places)


def _undecided(text: str, claims: list[LetterClaim]) -> bool:
    """Whether a text only weighs letters against each other, and states none after that."""
    last = next(iter(deque(patterns.OPEN.finditer(text), maxlen=1)), None)
    if last is None or last.group(1) == last.group(2):
        return False
    if re.search(r"(?i:\beither(?: it is| it's)? ?\W?)$", text[: last.start(1)][-20:]) and not avoidance(text)[1]:
        return False
    later = [claim for claim in claims if claim.strength == STATED and claim.span[0] > last.end(2)]
    inside = re.search(r"(?i:not|cannot|can't|n't|neither|rule out|eliminate)[^.\n]{0,20}$", text[: last.start(1)])
    return not later and not inside
