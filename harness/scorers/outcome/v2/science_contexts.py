"""Letters that hold only in a case, or that somebody named says: what a text commits to by them.

It knows one text; it must never know what the options say, or which of them is right.
"""

from __future__ import annotations

import re

from harness.scorers.outcome.v2.claims import Span

_CASE = (
    r"(?:in|on|at|for|by|if|when|during|under|with|without|near)\b(?! (?:this|that|these|fact|short|my|here|case"
    r"|the (?:que"
    r"stion|end|options|list|other hand|answer)|conclusion|general)\b)"
)
_BEING = (
    r"(?:[,:]? ?(?:then |you (?:get|have) |it'?s |it is |it would be |it'?d be |it will be |would be |that is "
    r"|the answer "
    r"is |answer |choose |pick |take |is |= ?|option ){0,2})"
)
_LETTER = r"[\"'(]?\b([A-D])\b[\"')]?(?!')"
# In one case this letter, in another case that one; nothing says which case is asked about.
_FIRST_CASES = re.compile(
    rf"(?i:\b{_CASE}) [^.;,:\n]{{1,40}}?{_BEING}{_LETTER}[^.;,\n]{{0,25}}(?:[,;.\n] ?| (?=and|but|whereas|while))"
    rf"(?:(?i:and|but|or|whereas|while) )?(?i:{_CASE}) [^.;,:\n]{{1,40}}?{_BEING}{_LETTER}"
)
_FIRST_LETTERS = re.compile(
    rf"{_LETTER}(?: is right| is correct| is the answer| holds)? (?i:{_CASE}) [^.;,\n]{{1,40}}[,;.] ?(?:(?:and|but"
    rf"|or) )?"
    rf"(?:otherwise,?|else|if not,?|{_LETTER}(?: is right| is correct| holds)? (?i:{_CASE}))(?: {_BEING}{_LETTER})?"
)
_DEPENDING = re.compile(rf"(?i:\bdepending on\b)[^.\n]{{0,60}}?{_LETTER} or {_LETTER}")
# Letters left open of which either would do.
_EITHER_DOES = re.compile(
    rf"{_LETTER} or {_LETTER}[^.\n]{{0,15}}(?i:\b(?:both|either)\b[^.\n]{{0,20}}\b(?:do|works?|fine|fits?|right|correct"
    r"|possible|okay|ok|acceptable)\b)"
)
_PARTLY = re.compile(
    rf"(?i:\b(?:some|part)(?: of \w+)?(?: \w+)? (?:is|are)) {_LETTER}[^.\n]{{0,20}}(?i:\b(?:some|others?|part"
    rf"|the rest)\b"
    rf"(?: of \w+)?(?: \w+)? (?:is|are)) {_LETTER}"
)
_SETTLES = re.compile(
    r"\b(?:here|this (?:case|question|one)|the question|as asked|so|thus|therefore|hence|overall|final|finally"
    r"|i(?:'d|'ll| would| will| choose| pick))\b",
    re.IGNORECASE,
)

_NAME = r"((?:[A-Z][a-z]{1,12}|(?:student|person|speaker|pupil|friend)(?= \d))(?: \d)?)"
_SAYS = re.compile(
    rf"\b{_NAME} (?:says?|said|thinks|thought|picks|picked|chose|chooses|answers|answered|claims|suggests) (?:it is "
    rf"|it's "
    r"|option )?[\"'(]?([A-D])\b"
)
_SIDES = re.compile(
    rf"\b(?:(?i:agree with|side with|go with|believe|trust) {_NAME}|{_NAME} (?:is|was|has|gets|got) (?:it )?(?:right"
    rf"|correct))\b",
)


_RANKED = re.compile(
    r"(?:\b(?i:ranking|ranked|order of (?:likelihood|probability))[^A-D\n]{0,30}[\"'(]?([A-D])[\"')]?(?:,| ?>| then)"
    r"|\A[\"'(]?([A-D])[\"')]? ?> ?[A-D]\b|\b(?i:most likely) ([A-D]),? (?:and )?(?:then|followed by|second) )"
)


def ranked_first(text: str) -> tuple[str, Span] | None:
    """Find the letter that a text ranks before the others."""
    found = _RANKED.search(text)
    at = found.lastindex if found else None
    return (found.group(at), found.span(at)) if found and at else None


def by_case(text: str) -> tuple[frozenset[str], Span] | None:
    """Find different letters for different cases, between which the text does not choose."""
    for form in (_FIRST_CASES, _FIRST_LETTERS, _DEPENDING, _EITHER_DOES, _PARTLY):
        for found in form.finditer(text):
            named = frozenset(each for each in found.groups() if each)
            if len(named) > 1 and not _SETTLES.search(text, found.start()):
                return named, found.span()
    return None


def sided_with(text: str) -> tuple[str, Span] | None:
    """Find the letter that somebody in the text says of whom it says that they are right."""
    said = {found.group(1).lower(): found for found in _SAYS.finditer(text)}
    for found in _SIDES.finditer(text):
        who = (found.group(1) or found.group(2)).lower()
        if who in said:
            return said[who].group(2), said[who].span(2)
    return None
