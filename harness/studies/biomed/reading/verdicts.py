"""Which way a text answers a question of yes or no: by its first word, and by what its clauses say of the matter.

What it says of other diseases and other things does not count, nor what it says in general. It must never know which
way is right.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from harness.studies.biomed.reading.cues import (
    ANSWER_IS,
    ANSWERED,
    CLOSES,
    CONCEDED,
    CUES,
    DENIAL,
    FALSE,
    GENERAL,
    KEPT,
    LEAD,
    MAYBE,
    NEITHER,
    NO_LEAD,
    PARTED,
    SHORT,
    TAKEN_BACK,
)
from harness.studies.biomed.reading.plain import Plain, Span, clauses
from harness.studies.biomed.reading.questions import APPROVAL, DATA, LINK, RISK, WARNING, Question
from harness.studies.biomed.reading.subjects import foreign, of_this_thing, of_this_use, subjects

YES, NO, BOTH, NONE = "yes", "no", "both", ""
_MOST = 1_000  # letters of a sentence in which a clause looks for its subject
_IT = re.compile(r"^\W*(?:it|(?:this|the) (?:drug|medication|gene|variant|snp))\b")
_NO_LINK = re.compile(
    r"\b(?:there (?:is|are|was|were) (?:\w+ ){0,2}no|no (?:\w+ ){0,3}(?:evidence|association|link|signal|boxed|black)"
    r"|(?:is|are|has|have|does|do) not|isn't|hasn't|doesn't|carries no|shows no|none)\b"
)
_DULL = frozenset({"does", "have", "with", "that", "there", "been", "drug"})


@dataclass(frozen=True, slots=True)
class Stance:
    """Which way a text answers: yes, no, both or neither; and whether it says so with full weight."""

    value: str
    hedged: bool = False


def stance(text: Plain, asked: Question) -> Stance:  # noqa: PLR0911 (one return a case)
    """Give which way a text answers a question of yes or no."""
    if MAYBE.search(text.lower):
        return Stance(BOTH)
    if foreign(text, asked):
        return Stance(NONE)
    leads = [said for span in text.sentences if (said := lead(span))]
    if len(set(leads)) > 1 or BOTH in leads:
        return Stance(BOTH)
    told, closing, hedged, own = _told(text, asked)
    turned = denies_all(text)
    if leads:
        value = leads[0]
        if (closing and value not in closing) or (told and value not in told):
            return Stance(BOTH)
        return Stance(_turned(value, turned))
    found = closing or told
    if len(set(found)) > 1:
        first = _first(text, asked)
        value = first or _heavier(own if len(set(own)) == 1 else found)
        return Stance(_turned(value, turned))
    if found:
        return Stance(_turned(found[0], turned), bool(hedged))
    return Stance(_turned(hedged[0], turned), True) if len(set(hedged)) == 1 else Stance(NONE)


def denies_all(text: Plain) -> bool:
    """Whether a text says of all that it holds that it is false: before it, or after it."""
    spans = text.sentences
    if not spans:
        return False
    first = bool(FALSE.match(spans[0].text.lower()))
    last = len(spans) > 1 and bool(TAKEN_BACK.match(spans[-1].text.lower()))
    return first != last


def negative(clause: str) -> bool:
    """Whether a clause denies: a part of it, between commas and brackets, holds an odd number of words of denial."""
    told = NEITHER.sub(r"\1\2", CONCEDED.sub(" ", KEPT.sub(" ", clause)))
    return any(len(DENIAL.findall(part)) % 2 == 1 for part in PARTED.split(told))


def lead(span: Span) -> str:
    """Give which way a sentence answers by its first word, or by saying what the answer is; empty where neither."""
    lower = span.text[:_MOST].lower()
    found = LEAD.match(lower)
    if not found:
        if short := SHORT.match(lower):
            return NO if short["no"] or short["not"] else YES
        said = ANSWER_IS.search(lower)
        return (said["said"] or said["last"]) if said else NONE
    if found["more"]:
        return BOTH
    return NO if found["said"] in NO_LEAD else YES


def _turned(value: str, turned: bool) -> str:
    return {YES: NO, NO: YES}.get(value, value) if turned else value


def _heavier(found: list[str]) -> str:
    yes = found.count(YES)
    return YES if yes > 2 * (len(found) - yes) else NO if len(found) - yes > 2 * yes else BOTH


def _first(text: Plain, asked: Question) -> str:
    """Give what the first sentence that names the thing says of a link: what follows is then on other things."""
    if asked.topic not in (LINK, RISK, WARNING, DATA):
        return NONE
    for sentence in text.sentences[:3]:
        lower = ANSWERED.sub(" ", FALSE.sub(" ", sentence.text[:_MOST].lower()))
        if any(name in lower for name in subjects(asked)) and not GENERAL.search(lower):
            return NO if _NO_LINK.search(lower) else NONE
    return NONE


def _told(text: Plain, asked: Question) -> tuple[list[str], list[str], list[str], list[str]]:
    """Give what the clauses about the matter say; of them closing ones, hedged ones, and those that name the thing."""
    told: list[str] = []
    closing: list[str] = []
    hedged: list[str] = []
    own: list[str] = []
    subject = subjects(asked)
    for sentence in text.sentences:
        lower_sentence = sentence.text[:_MOST].lower()
        for clause in clauses(sentence):
            lower = ANSWERED.sub(" ", FALSE.sub(" ", clause.text.lower()))
            value = _of_clause(lower, lower_sentence, asked, text.lower)
            if not value:
                continue
            if GENERAL.search(lower) and not re.search(
                r"\bnot (?:typically|generally|usually|considered)|considered (?:a )?"
                r"(?:statistically )?(?:druggable|significant)|\b(?:reach|pass|meet)(?:es|ed)?\b[^.]{0,40}\bthreshold",
                lower,
            ):
                hedged.append(value) if not re.search(
                    r"\bif\b|\bwhether\b|\bthreshold\b|\bconsult|\bcheck\b|\bmean\b", lower
                ) else None
                continue
            told.append(value)
            if _IT.match(lower) or any(name in lower for name in subject):
                own.append(value)
            if CLOSES.match(lower) or CLOSES.match(lower_sentence):
                closing.append(value)
    return told, closing, hedged, own


def _of_clause(lower: str, sentence: str, asked: Question, whole: str) -> str:
    cue, other = CUES.get(asked.topic, (None, None))
    if cue is None:
        return _by_words(lower, asked)
    if asked.topic == APPROVAL and not of_this_use(lower, sentence, asked, whole):
        return NONE
    if asked.topic in (LINK, RISK) and not of_this_thing(lower, sentence, asked):
        return NONE
    for name in sorted(asked.disease, key=len, reverse=True):  # childhood absence epilepsy denies nothing
        lower = lower.replace(name, "it") if len(name) > 8 else lower
    if other is not None and other.search(lower) and not cue.search(other.sub(" ", lower)):
        return NO
    return (NO if negative(lower) else YES) if cue.search(lower) else NONE


def _by_words(lower: str, asked: Question) -> str:
    words = set(re.findall(r"[a-z]{4,}", asked.lower)) - _DULL
    said = sum(word in lower for word in words)
    return (NO if negative(lower) else YES) if words and said * 2 >= len(words) else NONE
