"""Which way a text answers a yes/no question: by its first word, and by what its clauses say about the matter.

What a text says about other diseases and other things does not count. What it says in general does not count either.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from harness.studies.biomed.reading.cues import (
    ANSWER_IS,
    ANSWERED,
    CLOSES,
    CONCEDED,
    CONCEDES,
    CUES,
    DENIAL,
    FALSE,
    GENERAL,
    KEPT,
    LEAD,
    MAYBE,
    NEITHER,
    NO_LEAD,
    OPEN,
    PARTED,
    SHORT,
    SO,
    TAKEN_BACK,
)
from harness.studies.biomed.reading.plain import Plain, Span, clauses
from harness.studies.biomed.reading.questions import APPROVAL, DATA, DRUGGABLE, LINK, RISK, WARNING, Question
from harness.studies.biomed.reading.subjects import abroad, foreign, of_this_thing, of_this_use, says, subjects

YES, NO, BOTH, NONE = "yes", "no", "both", ""
_MOST = 1_000  # letters of a sentence that are searched for the subject of a clause
_IT = re.compile(
    r"^\W*(?:(?:and|but|yet|so|then|hence|thus|therefore|i\.e\.,?|that is,?|meaning|and so|and thus"
    r"|and therefore) ){0,2}"
    r"(?:(?:which|that) (?:is why|means)(?: that)? )?(?:that )?(?:it|(?:this|the) (?:drug|medication|gene|variant"
    r"|snp))\b"
    r"|^.{0,80}\b(?:approved|licensed|cleared"
    r"|authori[sz]ed) it\b"
)
_NO_LINK = re.compile(
    r"\b(?:there (?:is|are|was|were) (?:\w+ ){0,2}no|no (?:\w+ ){0,3}(?:evidence|association|link|signal|boxed|black)"
    r"|(?:is|are|has|have|does|do) not|isn't|hasn't|doesn't|carries no|shows no|none)\b"
)
_HAS_NONE = re.compile(  # "the label has none", "there aren't any"
    r"\b(?:has|have|had|carries|carry|shows?|finds?|found|are|is|were|was|bears?|there's|passes"
    r"|reaches) (?:\w+ )?none\b(?! of)"
    r"|\b(?:has|have|had|carries|shows?|are|is|were|was) zero\W*$"
    r"|\b(?:has|have|had|shows?|carries|finds?|bears?|contains?|holds?|there (?:is|are|was|were)|there's) no such\b"
    r"|\bnone (?:of \w+ )?(?:has|have) been\W*$|^\W*(?:none|neither)(?: of \w+)? (?:is|are|does|do|has|have|was"
    r"|were)\W*$"
    r"|\bthere (?:are|is|were|was)(?:n't| not) (?:any|one)\b|\b(?:has|have|does|do|did)(?:n't| not) (?:have "
    r"|carry |show |bear |got )?"
    r"(?:any|one)\W*$|^\W*(?:it|they|that gene|that drug|that snp)\s(?:does|do|did)(?:n't| not)\W*$"
)
_CONCLUDES = re.compile(
    r"\s(?=\([^()]{0,20}\b(?:approved|licen[sc]ed))|(?<=\))\s|,?\s(?:\(|,)?(?=(?:i\.e\.|that is,|and so\b"
    r"|and therefore\b|and hence\b|and thus\b))|,\s(?=(?:so|hence|thus"
    r"|meaning|making|consequently|as a result)\b)|,\s(?=(?:the )?(?:fda|ema|eu|us|mhra)\b)",
    re.IGNORECASE,
)
_EXCEPT = re.compile(  # "no warning except the one on", which is one
    r"\b(?:no|none|not any)\b.{1,80}\b(?:except|other than|apart from|besides|save) (?:for )?(?:the|one|a|an|rs\d+)\b"
)
_SUBJECT_DOES = re.compile(  # "GEN0184 is not", "variants of GEN0184 do so"
    r"^\W*(?:(?:and|but|while|whereas|so|yet|for its part),? )?(?:for |as (?:to|for) )?(?P<subject>[^,.;:]{2,60}?),?"
    r" (?:is|are|was|were|has|have|does|do|did)(?P<no>n't| not)?(?: do| have| carry| bear)?(?: so| one| any| that"
    r"| it)?\W*$"
)
_PRONOUN = re.compile(
    r"^(?:in the (?:us|u\.s\.|united states|states) )?(?:it|they|th(?:is|at) (?:one|drug|gene|snp|variant|antibody"
    r"|compound))$"
)
_ONCE = re.compile(
    r"\b(?:used to be|once|formerly|previously|initially|is|was|were|are|been|often|sometimes)"
    r" (?:said|thought|believed|rumou?red|claimed|reported|assumed|held|considered)\b"
)
_REPAIRS = re.compile(
    r"^\W*(?:actually|correction|final answer|in fact|however|but|overall|in (?:summary|short|conclusion))\b"
)
_ITS = re.compile(r"^\W*(?:it|its|at|with|p\b|the p\b|this|that)")
_CONSIDERED = re.compile(
    r"\bnot (?:typically|generally|usually|considered)|considered (?:a )?(?:statistically )?(?:druggable|significant)"
    r"|\b(?:reach|pass|meet)(?:es|ed)?\b[^.]{0,40}\bthreshold"
)
_THRESHOLD = re.compile(
    r"\b(?:reach|pass|meet|miss|clear|surpass|beat|cross|exceed|past|beyond|below|under|near|close"
    r"|above)\w*\b[^.]{0,40}\bthreshold"
)
_ROW = re.compile(
    r"(?::|->|=>|\u2192|=|\s-)\W*(?:yes|no|none|absent|not present|missing|nil|lacking)\b\W*(?:\(|$)"
)  # "raises the risk: no" states no risk
_PRESUPPOSES = re.compile(  # takes for granted that there is one
    r"\b(?:its|their|the drug's|this|these)(?: own| current| existing)? (?:fda |u\.?s\.? )?"
    r"(?:black[- ]?box(?:ed)?|boxed) warnings?\b"
)
_CONDITIONAL = re.compile(r"\b(?:if|whether|unless|in case)\b")
_OF_OTHERS = re.compile(
    r"\b(?:many|several|some|other|numerous|most|certain|various|all) (?:\w+ ){0,3}(?:drugs|medicines|medications"
    r"|antibodies"
    r"|inhibitors|molecules|proteins|enzymes|antagonists|agonists|oligonucleotides"
    r"|compounds"
    r"|agents|products|members)\b"
)
_DULL = frozenset({"does", "have", "with", "that", "there", "been", "drug"})


@dataclass(frozen=True, slots=True)
class Stance:
    """Which way a text answers: yes, no, both or neither; and whether it hedges."""

    value: str
    hedged: bool = False
    named: bool = True  # whether it is said of the subject, and not of things in general


def stance(text: Plain, asked: Question) -> Stance:  # noqa: PLR0911 (one return a case)
    """Return which way a text answers a yes/no question."""
    if MAYBE.search(text.lower):
        return Stance(BOTH)
    if foreign(text, asked):
        return Stance(NONE)
    leads = [said for span in text.sentences if (said := lead(span))]
    if len(set(leads)) > 1 or BOTH in leads:
        return Stance(BOTH)
    told, closing, hedged, own = _told(text, asked)
    if asked.topic == APPROVAL and (exact := _of_use(text, asked)):
        told, closing = exact, []
    turned = denies_all(text)
    if leads:
        value = leads[0]
        if (closing and value not in closing) or (told and value not in told) or len(set(own)) > 1:
            return Stance(BOTH)
        return Stance(_turned(value, turned))
    found = closing or told
    if (
        closing
        and len(set(closing)) == 1
        and len(set(own)) > 1
        and not any(_REPAIRS.match(one.text.lower()) for one in text.sentences)
    ):
        return Stance(BOTH)  # concludes the contrary of what it states of the subject
    if len(set(found)) > 1:
        first = _first(text, asked) if len(set(own)) < 2 else NONE
        value = first or _heavier(own if len(set(own)) == 1 else found)
        return Stance(_turned(value, turned), named=bool(own))
    if found:
        return Stance(_turned(found[0], turned), bool(hedged), bool(own))
    return Stance(_turned(hedged[0], turned), True) if len(set(hedged)) == 1 else Stance(NONE)


def denies_all(text: Plain) -> bool:
    """Whether a text says that everything in it is false, at its beginning or at its end."""
    spans = text.sentences
    if not spans:
        return False
    first = bool(FALSE.match(spans[0].text.lower()))
    last = len(spans) > 1 and bool(TAKEN_BACK.match(spans[-1].text.lower()))
    return first != last


def negative(clause: str) -> bool:
    """Whether a clause denies: a part of it, between commas or brackets, has an odd number of words of denial."""
    told = NEITHER.sub(r"\1\2", CONCEDED.sub(" ", KEPT.sub(" ", clause)))
    return any(len(DENIAL.findall(part)) % 2 == 1 for part in PARTED.split(told))


def lead(span: Span) -> str:
    """Return which way a sentence answers by its first word, or by saying what the answer is; empty if neither."""
    lower = span.text[:_MOST].lower()
    found = LEAD.match(lower)
    if not found:
        if short := SHORT.match(lower):
            return NO if any(short.groups()) else YES
        if said := ANSWER_IS.search(lower):
            return next(filter(None, said.groups()), NONE)
        found = SO.search(lower)
        return (NO if any(found.groups()) else YES) if found else NONE
    if found["more"]:
        return BOTH
    return NO if found["said"] in NO_LEAD else YES


def _turned(value: str, turned: bool) -> str:
    return {YES: NO, NO: YES}.get(value, value) if turned else value


def _heavier(found: list[str]) -> str:
    yes = found.count(YES)
    return YES if yes > 2 * (len(found) - yes) else NO if len(found) - yes > 2 * yes else BOTH


def _first(text: Plain, asked: Question) -> str:
    """Return no if the first sentence that names the subject denies a link, otherwise an empty text.

    Later sentences are then taken to be about other things.
    """
    if asked.topic not in (LINK, RISK, WARNING, DATA):
        return NONE
    for sentence in text.sentences[:3]:
        lower = ANSWERED.sub(" ", FALSE.sub(" ", sentence.text[:_MOST].lower()))
        if any(name in lower for name in subjects(asked)) and not GENERAL.search(lower):
            return NO if _NO_LINK.search(lower) else NONE
    return NONE


def _of_use(text: Plain, asked: Question) -> list[str]:
    """Return what the clauses that name the question's disease say about approval; they outweigh all others."""
    out = []
    for sentence in text.sentences:
        for clause in _stated(sentence):
            lower = clause.text.lower()
            if any(says(lower, name) for name in asked.disease) and not GENERAL.search(lower):
                out.append(_of_clause(lower, sentence.text[:_MOST].lower(), asked, text.lower))
    return [value for value in out if value]


def _told(text: Plain, asked: Question) -> tuple[list[str], list[str], list[str], list[str]]:
    """Return what the clauses about the matter say: plain ones, closing ones, hedged ones, those naming the subject."""
    told: list[str] = []
    closing: list[str] = []
    hedged: list[str] = []
    own: list[str] = []
    subject = subjects(asked)
    for sentence in text.sentences:
        lower_sentence = sentence.text[:_MOST].lower()
        if lead(sentence) and _ROW.search(lower_sentence):
            continue
        for clause in _stated(sentence):
            lower = ANSWERED.sub(" ", FALSE.sub(" ", clause.text.lower()))
            if _ONCE.search(lower) and clause.start + len(clause.text) < sentence.start + len(sentence.text) - 1:
                continue  # "it was once said to be, but"
            value = _elliptic(lower, (*subject, "fda") if asked.topic == APPROVAL else subject) or _of_clause(
                lower, lower_sentence, asked, text.lower
            )
            drugs = asked.topic in (APPROVAL, WARNING) and _OF_OTHERS.search(lower)
            if not value or (drugs and not any(name in lower for name in subject)):
                continue
            presupposed = value == YES and _PRESUPPOSES.search(lower) and not _CONDITIONAL.search(lower)
            mine = any(name in lower_sentence for name in subject) or _ITS.match(lower_sentence)
            if (
                GENERAL.search(lower)
                and not _CONSIDERED.search(lower)
                and not _HAS_NONE.search(lower)
                and not presupposed
                and not (mine and _THRESHOLD.search(lower))
                and not (any(name in lower for name in subject) and not OPEN.search(lower))
            ):
                hedged.append(value) if not re.search(
                    r"\bif\b|\bwhether\b|\bthreshold\b|\bconsult|\bcheck\b|\bmean\b", lower
                ) else None
                continue
            told.append(value)
            named = presupposed or _IT.match(lower) or any(name in lower for name in subject)
            if named and not CONCEDES.match(lower):
                own.append(value)
            if CLOSES.match(lower) or CLOSES.match(lower_sentence):
                closing.append(value)
    return told, closing, hedged, own


def _elliptic(lower: str, subject: tuple[str, ...]) -> str:
    """Return which way a clause answers that says of the subject only that it is, has or does, or that it does not."""
    found = _SUBJECT_DOES.search(lower[:120])
    if not found or not (_PRONOUN.search(found["subject"]) or any(name in found["subject"] for name in subject)):
        return NONE
    return NO if found["no"] else YES


def _stated(sentence: Span) -> list[Span]:
    """Return the clauses of a sentence, of which each that draws a conclusion ("so it is not") is one of its own."""
    out = []
    for clause in clauses(sentence):
        start = 0
        for found in _CONCLUDES.finditer(clause.text):
            out.append(Span(clause.start + start, clause.text[start : found.start()]))
            start = found.end()
        out.append(Span(clause.start + start, clause.text[start:]))
    return [one for one in out if one.text.strip(" ;,.()")]


def _of_clause(lower: str, sentence: str, asked: Question, whole: str) -> str:  # noqa: PLR0911 (one return a case)
    if asked.topic in (LINK, RISK, WARNING, DRUGGABLE, DATA) and _HAS_NONE.search(lower):
        return NO
    cue, other = CUES.get(asked.topic, (None, None))
    if cue is None:
        return _by_words(lower, asked)
    if asked.topic == WARNING and abroad(lower):
        return NONE
    if asked.topic == APPROVAL and (abroad(lower) or not of_this_use(lower, sentence, asked, whole)):
        return NONE
    if asked.topic in (LINK, RISK) and not of_this_thing(lower, sentence, asked):
        return NONE
    for name in sorted(asked.disease, key=len, reverse=True):  # "absence" in childhood absence epilepsy is not a denial
        lower = lower.replace(name, "it") if len(name) > 8 else lower
    if other is not None and other.search(lower) and not cue.search(other.sub(" ", lower)):
        return NO
    if not cue.search(lower):
        return NONE
    return NO if negative(lower) and not _EXCEPT.search(lower) else YES


def _by_words(lower: str, asked: Question) -> str:
    words = set(re.findall(r"[a-z]{4,}", asked.lower)) - _DULL
    said = sum(word in lower for word in words)
    return (NO if negative(lower) else YES) if words and said * 2 >= len(words) else NONE
