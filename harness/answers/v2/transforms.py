"""Labelling rules for answers to text tasks: correct, avoidant or incorrect, rule set OURS-v2.

A label depends only on the response and the item.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache, partial

from harness.answers.names import COMMON_WORDS, STOP_WORDS
from harness.answers.prepare import Avoidance, prepare
from harness.answers.result import LabelResult, truncated
from harness.answers.transforms import SHAPE_WINDOW
from harness.answers.v2.choice import Offer, choose, leaves_open
from harness.answers.v2.exonyms import other_names
from harness.answers.v2.found import HOLE, PutForward, built_like, claims, like, near, places, rivals, same
from harness.answers.v2.layout import flattened
from harness.answers.v2.numbers import numbers
from harness.answers.v2.standing import label_standing
from harness.answers.v2.text import RULE_SET, babble, cut_next_question, plain, prepared, refusal
from harness.answers.v2.wanted import Span, WantedOutput, json_values, times, wanted
from harness.errors import InputError

_MARKUP = re.compile(r"[*`<\\]|__|^#\s", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]{0,3}(?:```|~~~)[A-Za-z0-9_+-]{0,20}[ \t]*$", re.MULTILINE)
_SIGN = re.compile(r"[^\W_]")
_WORD = re.compile(r"\w+")
_CODE = re.compile(
    r"\bdef \w+\(|\bprint\(|\breturn \w|\bimport \w|console\.log|\bsorted\("
    r"|\.(?:split|join|replace|format|strptime|upper|lower)\(|^=[A-Z]{2,}\(|\blambda \w|re\.sub\(|\bSELECT\b.*\bFROM\b",
    re.MULTILINE,
)
_CORRECTS = re.compile(
    r"\b(?:wait|actually|correction|sorry|mistake|oops|scratch that|let me (?:re|double|check)\w*|on second thought"
    r"|rather"
    r"|i meant?|no,|no\b|revis\w+|apologi\w+|should (?:be|have been|read)|misspoke|hmm|edit|errat(?:um|a)"
    r"|corrigend(?:um|a)|typo|misprint)\b|\u2717|\u274c",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:not|isn't|never|instead of|rather than|wrong|incorrect|don't know (?:if|whether)|unlike)\b[^\w\n]{0,3}"
    r"(?:(?:it's|it is|just|simply)\s)?[\"'(*]{0,2}\Z",
    re.IGNORECASE,
)
_OR_AFTER = re.compile(
    r"[\"'*]{0,2},?\s(?:or|oder|ou)\s(?!\w+(?: \w+)?,? (?:as it|in the old|in older|formerly|its old"
    r"|the old)\b)(?!as\b|formerly|more|so\b|less|simply|in other|equivalent|rather)[^\s]|\s?/\s?\w",
    re.IGNORECASE,
)
_OR_BEFORE = re.compile(r"\w[\"'*]{0,2},?\s(?:or|oder|ou)\s(?:maybe |perhaps |possibly )?[\"'*]{0,2}\Z", re.IGNORECASE)
_AND_AFTER = re.compile(r"[\"'*]{0,2},?\s(?:and|&)\s[\"'*]{0,2}([A-Z]\w+)")
_AND_BEFORE = re.compile(r"([A-Z]\w+)[\"'*]{0,2},?\s(?:and|&)\s[\"'*]{0,2}\Z")
_DOUBTS = re.compile(
    r"\b(?:maybe|perhaps|probably|i think|guess|possibly|might be|could be|but (?:it|the answer|if))\b", re.IGNORECASE
)
_GUESSED_BEFORE = re.compile(
    r"[\W_]*([^,.;:!?\n]{1,60}?)[\"']?, (?:i (?:think|guess|suppose|believe|would say)|i'd say|maybe|perhaps|probably"
    r"|presumably)\b",
    re.IGNORECASE,
)
_OPTIONS = re.compile(
    r"\b(?:options|choices|categories|possible \w+|labels|classes|candidates) (?:are|include|here|:)", re.I
)
_BEFORE = re.compile(r"([\w.'-]+)[ ,;:]{1,2}\Z")
_AFTER = re.compile(r"[ ,;:-]{1,3}([\w'&-]+)")
_LINE_START = re.compile(r"(?:\A|\n)[^\w\n]{0,6}\Z")
_CAPITAL = re.compile(r"(?<![\w-])[A-Z][\w'-]+")
_RIGHT = "the output"  # the value of an offer of the right output, however it is spelled
_LEADS_IN = re.compile(
    r"[\W_]*(?:\b(?:about|around|approximately|roughly|it|is|it's|exactly|so|or|a|total|of|eur|usd"
    r"|gbp)\b[\W_]*){0,4}",
    re.IGNORECASE,
)
# A list of outputs: what parts it, what leads it in, and what only adds to the output.
_PARTS = re.compile(
    r"(?:,(?!\d)|[;|\n])\s{0,4}(?:(?:or|and|oder|maybe|perhaps|possibly|alternatively) ){0,2}|\s(?:or|oder)\s"
    r"(?:maybe |perhaps |possibly |even )?|\s/\s",
    re.IGNORECASE,
)
_APART = re.compile(r"[;|]|\s/\s|\b(?:or|oder)\b", re.IGNORECASE)
_MARK = re.compile(r"\A\s*(?:[-*+\u2022]|\(?\d{1,2}[.)]|\(?[a-zA-Z]\))\s+(?=\S)")
_LABELLED = re.compile(
    r"(?:\A|[.;,]?\s{1,3})(?:option|alternative|possibility|version|variant|candidate|choice|attempt|guess)"
    r" ?(?:\d|[a-c])?\s?[:)]\s{0,3}",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"\A[^,;|/\n\d]{0,80}(?:\b(?:is|be|are|either|maybe|perhaps|say|try|among|between)\b|:)\s{1,3}", re.I
)
_BRACKETS = re.compile(r"\s?\([^()\n]{0,60}\)")
_BESIDES = re.compile(r"(?:not|never|rather|instead|formerly|also|aka|i\.e|e\.g|simply|more|so|less)\b", re.IGNORECASE)
_DENIED_WITHIN = re.compile(r"\b(?:not|isn't|never|instead of|rather than|wrong|incorrect)\b", re.IGNORECASE)
_NOTHING = re.compile(
    r"\W*(?:null|nil|none|n/?a|undefined|nothing|blank|empty|\(?no (?:value|output|answer)\)?)\W*", re.IGNORECASE
)
_BLANK = re.compile(r"_{2,}|\.{5,}|\u2026{2,}")  # to be filled in
_KEY = re.compile(r"\A[\w -]{1,30}[:=]\s*")
# A short answer, and words that only describe it: `teal, a greenish blue`.
_APPOSITION = re.compile(
    r"\W*([^\W\d_][\w'-]*(?: [\w'-]+){0,2})\W?(?:,| -| \u2013| \u2014| \() ?(?:an?|the|which|that is|i\.e\.|or|meaning"
    r"|as in|like|namely)\b [^.!?\n]{2,80}[.!)]*"
)
LONGEST_LIST = 400
MOST_OFFERS, MOST_WORDS_OF_TIME = 60, 8
WINDOW = 300
FEW_WORDS = 40  # in a longer text, a match of the answer's shape may be incidental


def transforms_text(asked: str, target: str, response: str) -> str:
    """Return the text in which the output is searched: plain, cut at a next question, copies of the input marked."""
    given = prepare(asked)
    said = _laid_out((prepare(target),), prepared(response.replace(HOLE, " ")))
    return _read(given, prepare(target), cut_next_question(said, given))


def _laid_out(targets: Iterable[str], said: str) -> str:
    """Return a response with tables and records read, unless the output itself may be one."""
    return said if any(re.search(r"[|\n`]|^[{\[<]", target) for target in targets) else flattened(said)


def _read(given: str, target: str, said: str) -> str:
    if given and given not in target:
        said = _without(given, said)
    if _MARKUP.search(target):
        return _FENCE.sub("", said).strip()
    return plain(said)


def _without(given: str, said: str) -> str:
    """Replace each copy of the input that is not part of a longer word by a mark."""
    left = r"(?<![0-9A-Za-z])" if given[0].isalnum() else ""
    right = r"(?![0-9A-Za-z])" if given[-1].isalnum() else ""
    if len(given) > 3:
        return re.sub(left + r"\s".join(map(re.escape, given.split())) + right, HOLE, said)
    return re.sub(left + re.escape(given) + right, HOLE, said)


def transforms(
    asked: str, target: str, response: str, shape: str | None = None, accepted: Collection[str] = ()
) -> LabelResult:
    """Label an answer to a task on the text `asked` whose right output is `target`, or one of `accepted`.

    `c` if it proposes the output, in any equivalent spelling; `i` if it proposes another, or several; `a` if none.
    `shape` is the pattern of a well-formed answer, or None; raises InputError if it is not a regular expression.
    `matched_span` is a span in `transforms_text`.
    """
    given = prepare(asked)
    names = dict.fromkeys((target, *accepted, *other_names(target)))  # a city that is wanted, in other languages too
    answers = [wanted(prepare(answer), given) for answer in names if prepare(answer)]
    said = _laid_out((answer.text for answer in answers), prepared(response.replace(HOLE, " ")))
    cut = cut_next_question(said, given)
    pattern = None if shape is None else _compiled(shape)
    read = partial(_read, given, answers[0].text) if answers else str

    def label(standing: str) -> LabelResult:
        return _label(given, answers, standing, pattern)

    result = label_standing(cut, label, read)
    if result.label == "a" and result.matched_span is None and len(cut) < len(said):
        return label_standing(said, label, read)
    return result


@lru_cache(maxsize=128)
def _compiled(shape: str) -> re.Pattern[str]:
    try:
        return re.compile(shape)
    except (re.error, OverflowError, RecursionError) as bad:
        raise InputError(
            f"`answer_shape` is not a regular expression: {bad}",
            where="answer_shape",
            next="give a pattern of Python's re, or null",
        ) from bad


def _label(given: str, answers: Sequence[WantedOutput], said: str, shape: re.Pattern[str] | None) -> LabelResult:
    texts = [_read(given, answer.text, said) for answer in answers]
    for answer, text in zip(answers, texts, strict=True):
        if any(same(answer, whole) for whole in (said, text)):
            return LabelResult("c", None, RULE_SET, (0, len(text)), truncated((text,)), 1)
    if not _SIGN.search(said) or not answers or _bare(said) == _bare(given) or _is_empty(said):
        return LabelResult("a", "non_conforming", RULE_SET, None, (), 0)
    if chosen := _chosen(given, answers, texts, shape) or _listed(given, answers, texts, said):
        return chosen
    for answer, text in zip(answers, texts, strict=True):
        if span := _right(given, answer, text, shape):
            return LabelResult("c", None, RULE_SET, span, truncated((text[slice(*span)],)), 1)
    avoidance, cue = _refusal(given, answers, texts[0])
    attempt = _attempt(given, answers[0], texts[0], shape, cue is not None)
    if attempt is None:
        return LabelResult("a", avoidance, RULE_SET, cue, (), 0)
    return LabelResult("i", None, RULE_SET, attempt, truncated((texts[0][slice(*attempt)],)), 1)


def _is_empty(said: str) -> bool:
    """Whether a response says that it has no value: `null`, or a record with nothing in it."""
    if _NOTHING.fullmatch(said):
        return True
    if said[:1] != "{" or len(said) > LONGEST_LIST:
        return False
    values = list(json_values(said))
    return (
        len(values) == 1
        and isinstance(values[0], dict)
        and all(each in (None, "", [], {}) for each in values[0].values())
    )


def _chosen(
    given: str, answers: Sequence[WantedOutput], texts: Sequence[str], shape: re.Pattern[str] | None
) -> LabelResult | None:
    """Label an output that the response chooses in so many words, or several that it expressly leaves open."""
    wrong: Span | None = None
    for answer, text in zip(answers, texts, strict=True):
        if answer.kind in ("json", "list"):
            continue
        offers = _offers(given, answer, text, shape)
        loose = _loose(given, answer, text, offers)
        choice = choose(text, offers, loose=loose)
        if choice is not None and choice.value == _RIGHT:
            return LabelResult("c", None, RULE_SET, choice.span, truncated((text[slice(*choice.span)],)), len(offers))
        if choice is not None:
            wrong = wrong or choice.span
        else:
            weighed = sorted((*offers, *loose), key=lambda offer: offer.span)
            if leaves_open(text, weighed):
                wrong = wrong or (weighed[0].span[0], weighed[-1].span[1])
    if wrong is None:
        return None
    return LabelResult("i", None, RULE_SET, wrong, truncated((texts[0][slice(*wrong)],)), 1)


def _listed(given: str, answers: Sequence[WantedOutput], texts: Sequence[str], said: str) -> LabelResult | None:
    """Label a short response that is a list without a choice, in which the output is one of several."""
    lines = [_MARK.match(line) is not None for line in said.split("\n") if line.strip()]
    if len(said) > LONGEST_LIST or said[:1] in ("{", "[", "<") or (len(lines) > 1 and not all(lines)):
        return None
    if _CORRECTS.search(said) or _DENIED_WITHIN.search(said):
        return None
    for answer, text in zip(answers, texts, strict=True):
        if answer.kind == "text" and _tells_all(given, answer, text):
            return LabelResult("i", None, RULE_SET, (0, len(text)), truncated((text,)), 1)
        if answer.kind not in ("json", "list") and _is_of_list(given, answer, answers, text, marked=len(lines) > 1):
            return LabelResult("i", None, RULE_SET, (0, len(text)), truncated((text,)), 1)
    return None


def _tells_all(given: str, answer: WantedOutput, text: str) -> bool:
    """Whether a text only lists several fields of the input, of which the output is one."""
    if _PARTS.search(answer.text):
        return False
    parts = [part.strip(" \"'`*.!?") for part in _PARTS.split(_BRACKETS.sub("", text))]
    values = [value for part in parts if (value := _MARK.sub("", _KEY.sub("", part)).strip(" \"'`*.!?"))]
    known = given.casefold()
    return (
        len(values) > 2
        and sum(same(answer, value) for value in values) == 1
        and all(value.casefold() in known for value in values)
    )


def _is_of_list(given: str, answer: WantedOutput, answers: Sequence[WantedOutput], text: str, *, marked: bool) -> bool:
    """Whether an output is one of the different outputs of which a text is a list; `marked` if each has a bullet."""
    body = _LABELLED.sub("\n", _LEAD.sub("", _BRACKETS.sub("", text)))
    parts = [_MARK.sub("", part).strip(" \"'`*.!?") for part in _PARTS.split(body)]
    parts = [part for part in parts if part]
    longest = len(answer.text.split())
    if _PARTS.search(answer.text) or any(len(part.split()) > longest + 1 or _BESIDES.match(part) for part in parts):
        return False
    right = [any(same(each, part) or places(each, part) == [(0, len(part))] for each in answers) for part in parts]
    right = [
        is_right or (answer.kind != "text" and bool(places(answer, part)))
        for part, is_right in zip(parts, right, strict=True)
    ]
    others = {
        part.casefold()
        for part, is_right in zip(parts, right, strict=True)
        if not is_right
        and len(part.split()) <= longest
        and part not in given
        and part.lower() not in COMMON_WORDS | STOP_WORDS
    }
    if not any(right) or not others:
        return False
    built = not answer.text.isalpha() and any(re.search(r"\d|\w[-_@/.]\w", part) for part in others)
    return built or marked or _APART.search(body) is not None or (not right[0] and len(others) > 1)


def _offers(given: str, answer: WantedOutput, text: str, shape: re.Pattern[str] | None) -> list[Offer]:
    """Return the places of the output and of texts built like it, in order, except pieces of the input."""
    right = [span for span in places(answer, text) if not _denied(text, span[0])]
    alike = [*built_like(answer, text), *near(answer, text)]
    if shape is not None and len(text) <= SHAPE_WINDOW:
        alike += [
            found.span() for found, _ in zip(shape.finditer(text), range(MOST_OFFERS), strict=False) if found.group()
        ]
    kept: list[Span] = []
    for span in alike:
        word = text[slice(*span)]
        if word not in given and not _within(span, (*right, *kept)) and not _is_option(text, span):
            kept.append(span)
    found = [Offer(span, _RIGHT) for span in right] + [Offer(span, text[slice(*span)]) for span in kept]
    return sorted(found, key=lambda offer: offer.span)


def _loose(given: str, answer: WantedOutput, text: str, offers: Sequence[Offer]) -> list[Offer]:
    """Return words with a capital letter that may be meant if the output is such a word too."""
    if not (answer.kind == "text" and answer.text.isalpha() and answer.text.istitle()):
        return []
    spans = (found.span() for found, _ in zip(_CAPITAL.finditer(text), range(MOST_OFFERS), strict=False))
    taken = [offer.span for offer in offers]
    return [
        Offer(span, text[slice(*span)])
        for span in spans
        if text[slice(*span)] not in given and not _within(span, taken)
    ]


def _bare(text: str) -> str:
    return " ".join(text.split()).strip(" \"'`.!*")


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" \"'`.!*")


def _right(given: str, answer: WantedOutput, text: str, shape: re.Pattern[str] | None) -> Span | None:
    """Return the span of the output proposed as the answer; None if it is not, or if another answer is proposed too."""
    found = [span for span in places(answer, text) if not _denied(text, span[0])]
    found = [span for span in found if not (_extended(given, answer, text, span) or _is_option(text, span))]
    if not found:
        return None
    last = found[-1]
    if _several(given, answer, text, found):
        return None
    put = [claim for claim in claims(answer, text) if not _holds(answer, claim, found)]
    named = [claim for claim in put if claim.explicit and claim.start >= last[1]]
    if named and not same(answer, named[-1].value) and _is_other(given, answer, text, named[-1]):
        return None
    shaped = [span for span in _shaped(shape, text, given) if text[slice(*span)].casefold() != answer.text.casefold()]
    others = [span for span in rivals(answer, text) if text[slice(*span)] not in given]
    others = sorted(span for span in {*others, *shaped} if not _within(span, found) and not _denied(text, span[0]))
    if any(
        _within((claim.start, claim.end), others) and claim.start >= last[1] and claim.how == "verb" for claim in put
    ):
        return None
    later = [claim.start for claim in put if claim.start >= last[1]] + [
        span[0] for span in others if span[0] >= last[1]
    ]
    if any(_CORRECTS.search(text[last[1] : start][:WINDOW]) for start in later):
        return None
    return None if _outvoted(answer, text, found, others) else last


def _denied(text: str, start: int) -> bool:
    return bool(_DENIED.search(text[max(0, start - 40) : start]))


def _holds(answer: WantedOutput, claim: PutForward, found: Sequence[Span]) -> bool:
    return _within((claim.start, claim.end), found) or same(answer, claim.value)


def _within(span: Span, others: Sequence[Span]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in others)


def _is_other(given: str, answer: WantedOutput, text: str, claim: PutForward) -> bool:
    """Whether a later claim is another answer: its value is not in the input, or a correction precedes it."""
    value = claim.value.casefold()
    return value not in given.casefold() or bool(_CORRECTS.search(text[max(0, claim.start - 80) : claim.start]))


def _extended(given: str, answer: WantedOutput, text: str, span: Span) -> bool:
    """Whether the output is inside a longer piece of the input, so that the response took too much of the input."""
    if answer.kind != "text" or any(map(str.isdigit, answer.text)):
        return False
    folded = " ".join(given.casefold().split())
    start, end = span
    before, after = _BEFORE.search(text[max(0, start - 40) : start]), _AFTER.match(text, end, end + 40)
    if before and (before.group(1)[0].isupper() or before.group(1)[0].isdigit()):
        offset = max(0, start - 40)
        if " ".join(text[offset + before.start() : end].casefold().split()) in folded:
            return True
    return bool(
        after and (after.group(1)[0].isupper()) and " ".join(text[start : after.end()].casefold().split()) in folded
    )


def _is_option(text: str, span: Span) -> bool:
    """Whether the output is only named among the possible answers."""
    return bool(_OPTIONS.search(re.split(r"[.!?\n]", text[max(0, span[0] - 120) : span[0]])[-1]))


def _listed_with(given: str, found: re.Match[str] | None) -> bool:
    """Whether a name that `and` joins to the output is another name of the input."""
    return bool(found) and found is not None and found.group(1) in given


def _several(given: str, answer: WantedOutput, text: str, found: Sequence[Span]) -> bool:
    """Whether the output is only one of several among which the response does not choose."""
    start, end = found[-1]
    if answer.kind in ("json", "list"):
        return False
    after, before = text[end : end + 40], text[max(0, start - 40) : start]
    if any(_listed_with(given, found) for found in (_AND_AFTER.match(after), _AND_BEFORE.search(before))):
        return True
    if _OR_BEFORE.search(before) and HOLE not in before:
        return True
    if not _OR_AFTER.match(after):
        return False
    return not _CORRECTS.search(after)


def _outvoted(answer: WantedOutput, text: str, found: Sequence[Span], others: Sequence[Span]) -> bool:
    """Whether rivals count as much as the output: next to it in a list, or before it and not taken back."""
    for start, end in others:
        near = min((abs(start - span[1]) if start >= span[1] else abs(span[0] - end)) for span in found)
        between = text[found[-1][1] : start] if start >= found[-1][1] else text[end : found[0][0]]
        if near <= 5 and re.fullmatch(r"[\s,;|/&]{0,4}(?:and |or )?", between):
            return True
    first = found[0]
    earlier = [span for span in others if span[1] <= first[0]]
    if not earlier or _LINE_START.search(text[max(0, earlier[0][0] - 12) : earlier[0][0]]) is None:
        return False
    return not _CORRECTS.search(text[earlier[0][1] : found[-1][0]]) and answer.kind != "number" and len(earlier) > 1


def _refusal(given: str, answers: Sequence[WantedOutput], text: str) -> tuple[Avoidance, Span | None]:
    """Return the first words that decline to answer and are not words of the task itself."""
    own = " ".join((given, *(answer.text for answer in answers))).casefold()
    avoidance, span = refusal(text)
    if span and text[slice(*span)].casefold() in own:
        avoidance, span = refusal(text[: span[0]] + " " * (span[1] - span[0]) + text[span[1] :])
    return avoidance, span


def _attempt(given: str, answer: WantedOutput, text: str, shape: re.Pattern[str] | None, refuses: bool) -> Span | None:
    """Return the span of what a response without the output proposes instead; None if it proposes nothing."""
    put = [claim for claim in claims(answer, text) if _folded(claim.value) != _folded(given)]
    built = rivals(answer, text)
    if refuses:
        return next(iter(built or _guessed(answer, text, put)), None)
    code = bool(_CODE.search(text)) and not _CODE.search(answer.text)
    first = text.strip().split("\n", 1)[0]
    if HOLE in text:
        rest = _WORD.findall(text.replace(HOLE, " "))
        if any(map(str.isdigit, answer.text)) and len(rest) == 1:
            return 0, len(text)
    elif like(answer, first) and not babble(text) and not code and not _BLANK.search(first):
        start = text.find(first)
        return start, start + len(first)
    put = [claim for claim in put if not code or claim.how == "verb" or (claim.how == "label" and claim.explicit)]
    if put or (span := _described(given, answer, text)):
        return (put[-1].start, put[-1].end) if put else span
    if code:
        return None
    built = [span for span in built if text[slice(*span)] not in given]
    return next(
        iter(
            _leading_number(given, answer, text) or built or _in_other_case(answer, text) or _shaped(shape, text, given)
        ),
        None,
    )


def _described(given: str, answer: WantedOutput, text: str) -> Span | None:
    """Return the span of a word that is a short response's answer, followed only by what it means, or None."""
    found = _APPOSITION.fullmatch(text) if answer.kind == "text" else None
    if found is None:
        return None
    name = found.group(1)
    few = len(name.split()) <= len(answer.text.split())
    telling = name.split()[0].lower() not in COMMON_WORDS | STOP_WORDS
    return found.span(1) if few and telling and name not in given and like(answer, name) else None


def _leading_number(given: str, answer: WantedOutput, text: str) -> list[Span]:
    """Return the span of the number with which a short response begins, if a number that is not given is wanted."""
    if answer.kind == "time" and len(_WORD.findall(text)) <= MOST_WORDS_OF_TIME:
        given_times = {value for _, value, _ in times(given)}
        return [span for span, value, _ in times(text) if value not in given_times][:1]
    if answer.kind != "number" or len(_WORD.findall(text)) > FEW_WORDS:
        return []
    known = {number.value for number in numbers(given)}
    other = [number for number in numbers(text) if number.value not in known][:1]
    return [(each.start, each.end) for each in other if _LEADS_IN.fullmatch(text, 0, each.start)]


def _whole(answer: WantedOutput, value: str) -> bool:
    return len(_WORD.findall(value)) <= len(_WORD.findall(answer.text)) + 1


def _guessed(answer: WantedOutput, text: str, put: Sequence[PutForward]) -> list[Span]:
    """Return the spans that a response proposes in spite of doubt or refusal."""
    if (after := _GUESSED_BEFORE.match(text)) and like(answer, after.group(1)) and _whole(answer, after.group(1)):
        return [after.span(1)]
    doubtful = [claim for claim in put if _DOUBTS.search(text[max(0, claim.start - 60) : claim.start])]
    return [(claim.start, claim.end) for claim in doubtful if claim.explicit or _whole(answer, claim.value)]


def _in_other_case(answer: WantedOutput, text: str) -> list[Span]:
    """Return the span of the output in a case that is not the one asked for, which is a wrong attempt."""
    found = re.finditer(answer.pattern.pattern, text, re.IGNORECASE)
    return [each.span() for each in found if not _is_option(text, each.span())][:1]


def _shaped(shape: re.Pattern[str] | None, text: str, given: str) -> list[Span]:
    """Return the spans of a short response with the answer's shape, except copies of the input and listed options."""
    if shape is None or len(_WORD.findall(text)) > FEW_WORDS:
        return []
    spans = [found.span() for found in shape.finditer(text, 0, SHAPE_WINDOW) if found.group()]
    return [span for span in spans if text[slice(*span)] not in given and not _is_option(text, span)]
