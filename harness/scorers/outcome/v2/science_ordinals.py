"""Options that a text puts forward by their place in the list: the third one, option 2, the last animal.

It knows one text; it must never know what the options say, or which of them is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.scorers.outcome.v2.claims import Span

_PLACES = (
    ("first", "1st", "1", "i", "one"),
    ("second", "2nd", "2", "ii", "two"),
    ("third", "3rd", "3", "iii", "three", "penultimate"),
    ("fourth", "4th", "4", "iv", "four", "last", "final"),
)
_LETTERS = {word: letter for letter, words in zip("ABCD", _PLACES, strict=True) for word in words}
_NTH = r"(first|second|third|fourth|1st|2nd|3rd|4th|last|final|penultimate)"
_LISTED = (
    r"(?:(?=of )|option|choice|one|answer|alternative|item|entry|possibility|candidate|response|suggestion)"
    r"(?:(?: |(?<= ))(?:on|in|of) (?:the|this|that|your) (?:list|options|choices|four)\b| listed| given| offered"
    r"| here)?"
)
# Nouns that follow an ordinal in a text about something else.
_ELSE = (
    r"(?:two|three|half|few|thing|points?|steps?|stages?|laws?|time|part|place|questions?|line|day|week|month|year"
    r"|phase"
    r"|century|attempt|try|hint|clue|reason|case|example|quarter|period|group|row|column|person|power|order|most|law's)"
)
_COMMITS = (
    r"(?:\banswer|\bis|\b(?:it|that)'s|\bbe|\bchoos(?:e|ing)|\bpick(?:ing)?|\bselect|\bgo(?:ing)? (?:with|for)|\bsay"
    r"|\bguess|\bthink|\bcorrect|\bleaves(?: us with| only)?|\bleft with|\btake|\bmeans|\bso|\bthus|\btherefore"
    r"|\bopt for|\bhence)"
)
_END = r"(?=\s*(?:[.,;:!)\n]|$|that\b|which\b|because\b|since\b|as\b|is what\b|for\b|on\b|in the list|in this list))"
_FORMS = (
    # the option's number: option 2, number three
    re.compile(
        r"(?:\b(?:option|choice|answer|number)(?: is)?:? (?:#|no\. ?|number )?|^#|^no\. ?)(1|2|3|4|i|ii|iii|iv|one"
        r"|two|three"
        r"|four)"
        r"\b(?!\.?\d)",
        re.IGNORECASE,
    ),
    # all that is said
    re.compile(
        rf"\A\W*(?:the )?{_NTH}(?: {_LISTED}| (?!{_ELSE}\b)[a-z]{{3,14}})?(?:\W*\Z|,? (?:because|since) )",
        re.IGNORECASE,
    ),
    # a commitment, then the place: I would pick the last option; it is the third animal
    re.compile(
        rf"{_COMMITS}\W{{0,2}}(?: ?(?:the|definitely|probably|clearly|be|obviously)){{0,2}} {_NTH}"
        rf"(?: {_LISTED}| (?!{_ELSE}\b)[a-z]{{3,14}})?{_END}",
        re.IGNORECASE,
    ),
    # the place as a subject: the third option is what we want
    re.compile(
        rf"\bthe {_NTH} {_LISTED} (?:is|must be|fits(?: best)?|has to be|would be|seems|makes|looks)(?! (?:not|wrong"
        rf"|incorrect|out"
        r"|false|excluded|clearly (?:not|wrong)|just|impossible|too|about|a|an)\b)",
        re.IGNORECASE,
    ),
    re.compile(rf"\bthe {_NTH} (?:is the (?:only|best|right|correct|answer)|fits)\b", re.IGNORECASE),
    re.compile(r"\b(?:one|item|option) in (first|second|third|fourth|last) (?:place|position)\b", re.IGNORECASE),
)
_LEADS = re.compile(r"(?:answer|is|be|choose|pick|would be|correct|say|go with|so|:)\W*(?:the )?$", re.IGNORECASE)
_NUMBERED_SUBJECT = re.compile(r"\s*(?:[.,;:!)]|is |because |since |as |on the list|in the list|$)")
_TAKEN_BACK = re.compile(r"(?:\bnot|n't|\bnor|\bneither|\brather than|\bwhether)(?: \w+){0,2}\W*$", re.IGNORECASE)


def ordinals(text: str, has_numbers: bool) -> Iterator[tuple[str, Span]]:
    """Give the options put forward by their place in the list: letter and span.

    Where the options have numbers, a number is one of these unless the word option stands before it.
    """
    number, *others = _FORMS
    for found in number.finditer(text):
        before = text[max(0, found.start() - 40) : found.start()]
        if has_numbers and not found.group().lower().startswith("option"):
            continue
        lone = len(text) - len(found.group()) <= 12
        begins = not before.strip(" \"'(-") and _NUMBERED_SUBJECT.match(text, found.end())
        if (lone or begins or _LEADS.search(before)) and not _TAKEN_BACK.search(before):
            yield _LETTERS[found.group(1).lower()], found.span()
    for form in others:
        for found in form.finditer(text):
            if not _TAKEN_BACK.search(text[max(0, found.start() - 30) : found.start(1)]):
                yield _LETTERS[found.group(1).lower()], found.span(1)
