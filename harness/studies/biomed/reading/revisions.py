"""What a response takes back: its versions from the first to the last, and which of them it withdraws.

A response that corrects itself states a fact more than once. Its last version of a fact counts, and a fact that it
states once counts as it stands. This module does not know which facts a question asks for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from harness.studies.biomed.reading.plain import Plain

MOST = 12  # versions of a response that are told apart
_SAID = (  # what an answer is made of
    r"(?:above|answers?|statements?|claims?|repl(?:y|ies)|responses?|sentences?|parts?|yes|no|numbers?|values?|names?"
    r"|identifiers?|words?|bits?|figures?|digits?|lines?|items?|entr(?:y|ies)|genes?|snps?|drugs?|years?|phases?"
    r"|verdicts?|lists?|coordinates?|positions?|guess(?:es)?|tables?|remarks?|symbols?|alleles?|patents?|tissues?"
    r"|counts?|results?|first (?:one|part|half))"
)
_IT = (
    r"(?:(?:all )?(?:of )?(?:the|my|those|these|that|this)(?: \w+)? "
    rf"{_SAID}|that|this|it|those|these|them|both|all(?: of (?:that|this|it|the above))?|everything"
    r"|what i(?: just| have)? (?:said|wrote|written)|the above|my (?:last|first|earlier|previous) \w+|[\"'](?:yes"
    r"|no)[\"'])"
)
_WRONG = (
    r"(?:wrong|incorrect|mistaken|erroneous|in error|not (?:right|correct|true|it)|false|untrue|inaccurate|nonsense"
    r"|an? (?:\w+ )?(?:error|mistake|slip|typo|mix-?up|misprint))"
)
# Withdraws what stands before it; a new version may follow, or none.
_WITHDRAWS = (
    rf"\b(?:scratch|scrap|strike|cancel|forget|disregard|ignore|discard|void|delete|undo|unsay|retract(?:ing)?|revoke"
    rf"|rescind|scrub|bin|withdraw(?:ing)?|take back|taking back) (?:\w+ )?{_IT}\b(?: answer| yes| no| claim"
    rf"| statement)?"
    rf"|\b(?:take|taking|took) (?:\w+ )?{_IT} ba(?:ck|kc)\b|\bi (?:\w+ )?retract\b|\bnever ?mind\b"
    r"|\b(?:answer|statement|claim|reply|response)s? (?:is|are|was) (?:hereby )?(?:withdrawn|retracted|void)\b"
    rf"|\b(?:consider|treat|regard|count|leave|mark|take|read|call) (?:{_IT}|the question)(?: one)?(?: as| to be)? "
    r"(?:unanswered|blank|withdrawn|void|open|not answered|no answer|retracted|empty|undecided|not given|unsaid|null"
    r"|a non-answer|missing|unknown)\b"
    r"|\b(?:that|this|it|they|those|these)(?: \w+)? (?:belongs?|refers?|applies|apply|is|are|was|were|comes?"
    r"|relates?) (?:to|for"
    r"|of|about|from) (?:an?other|a different|some other|the wrong) \w+"
    rf"|\bnothing (?:[\w']+ ){{0,5}}(?:backs?|supports?|confirms?|bears? out) {_IT}\b"
    rf"|\bi (?:can't|cannot|can not|couldn't|could not) (?:\w+ )?(?:back|support|stand by|stand behind|substantiate"
    rf"|defend) {_IT}(?: up)?\b"
    r"|\bi(?:'m| am|'ll| will|'d better|'d rather| had better| should| must)?(?: going to| now)? (?:stop|leave it"
    r"|pause) "
    r"(?:here|there|at that)\b|\b(?:i|i'd|i'll|i would|i will|let me|let's) (?:rather |better )?leave (?:it|that"
    r"|this)\b|\bno,? i(?:'m| am) not (?:going|willing) to\b"
    rf"|\bi(?:'m| am|'ve| have)? (?:just |only |simply )?(?:(?:was |been )?(?:only |just )?(?:made|making) {_IT} up"
    rf"|(?:invented|inventing|fabricated|guessed) {_IT}|was (?:only |just )?guessing)\b"
)
# Announces another version of what stands before it.
_CORRECTS = (
    r"(?:^|[.;,!?(\n-]\s{0,2})(?:small |minor )?corr?ect(?:ion|ed|ing myself)\s?[:,.-]|\b(?:edit|typo|slip|fix"
    r"|erratum|errata|amended|amendment|revised|update)\s?:"
    r"|\bon (?:second|further|closer) (?:thoughts?|reflection|inspection|look)\b|\bon reflection\b"
    r"|\bcome to think of it\b"
    r"|\bthinking (?:again|about it)\b|\blooking (?:again|closer|more closely)\b"
    r"|\b(?:re-?)?checking [^.;:\n]{0,30}again\b"
    r"|\blet me (?:correct|rephrase|restate|redo|start over|start again|try again|amend|fix|revise|count anyway"
    r"|leave it"
    r"|(?:re-?|double-?)?check(?: again)?)"
    r"\b|\bi (?:stand corrected|misspoke|misread|mistyped|misremembered|was wrong|was mistaken|meant(?: to say)?"
    r"|mean\b|forgot"
    r" (?:the|a)\b|should have said|need to correct|must correct|have to correct|got (?:that|this|it) wrong"
    r"|mixed [^.;:\n]{1,30}up"
    r"|mixed up|confused|swapped|transposed|made an? (?:\w+ )?(?:error|mistake|slip|typo)|looked at the wrong)\b"
    r"|(?<!not )(?<!n't )(?<!to )\bmake (?:that|it)\b|\bexcuse me\b|\bpardon\b|\bwrong (?:drug|gene|snp|variant|row"
    r"|one|table|column|line"
    r"|build|allele|disease)\b"
    r"|\bmy (?:mistake|bad|error|apologies)\b|\bapologies\b|\b(?:no,? )?(?:wait|hold on|hang on|oops|whoops|hmm+"
    r"|ah|er|erm)"
    r"(?=\s?[,.!:-]|\.\.)|\bsorry\s?[,.:!-]|\bsorry (?=no\b|yes\b)|\bor rather\b|\bthe other way a?round\b"
    r"|\b(?:had|got) (?:it|that|this|them|these|those) (?:backwards|reversed|the wrong way a?round)\b"
    r"|\bactually,? (?:no|yes|it|that|make)\b"
    rf"|\b(?:that|this|which|it|the above|the former|the first)(?:'s| is| was| were"
    rf"| would be)(?: \w+)? {_WRONG}\b(?! (?:to|that)\b)"
    r"|(?:\.\.\.?|\s-|[,;.!?])\s?(?P<no>no\s?[,.;:-](?=\s))|\bthe (?:correct|right|true|actual"
    r"|real) (?:\w+ ){1,3}(?:is|was|being)\b"
    r"|\b(?:final|definitive|corrected) (?:answer|version|verdict)\b"
)
_MARK = re.compile(rf"(?P<withdraws>{_WITHDRAWS})|(?P<corrects>{_CORRECTS})")
_ADDS = re.compile(
    r"[\s,.:;!-]*(?:i forgot|also\b|and also|plus\b|in addition|additionally|add\b|there is also|but also)"
)
_NAMED = r"(?:[A-Za-z]{0,9}\d(?:[\w.:-]{0,30}\w)?|[A-Z][\w-]{2,40})"
_SHOULD_BE = re.compile(
    rf"(?<![\w.])(?P<old>{_NAMED})\s(?:should (?:read|be|have been|say)|ought to (?:read|be)|was meant to be"
    rf"|is a (?:typo"
    rf"|slip|misprint) for|(?:must|is to) be read as|needs? to be replaced (?:by|with))\s(?P<new>{_NAMED})(?![\w])"
)
_IN_PLACE = re.compile(
    rf"\b(?:(?:make|read) that|replace|swap|change|exchange)\s(?P<a>{_NAMED})\s(?:(?P<back>instead of|rather than"
    rf"|in place of)|(?:with|by|to|for))\s(?P<b>{_NAMED})(?![\w])"
    rf"|\bfor\s(?P<c>{_NAMED}),?\sread\s(?P<d>{_NAMED})(?![\w])",
    re.IGNORECASE,
)
_FIRST_HAD = re.compile(  # "I first had 2006, but it should be 2008"
    rf"\b[Ii] (?:first|initially|originally|earlier|at first|had first) (?:had|wrote|said|thought(?: of)?|put|gave"
    rf"|written)\s"
    rf"{_NAMED},?\s(?:but|yet|though|and)\s[^.;\n\d]{{0,30}}?(?:be|is|was|it)\s(?P<new>{_NAMED})(?![\w])"
)
_DROPS = re.compile(
    rf"\b(?i:scratch|strike|drop|remove|delete|forget|cancel|discard|omit|leave out|cross out|take out|ignore)\s(?:the "
    rf"|out )?(?P<old>{_NAMED})(?![\w])"
)
_UNFINISHED = re.compile(r"(?<!\S)[^\s.]{0,40}[^\s.,;:!?)](?:\.{3,6}|\u2026)(?=\s|$)")
_VALUE = re.compile(r"\d|^[A-Z]{2,}")
_MOST_EDITS = 8
_OWN_THING = re.compile(  # "I had a number for it but", "I began to list another SNP but": what is withdrawn is named
    r"\b(?:i|i'd|we)\b[^.;\n]{0,60}\b(?:an?|another|some|(?:the|a) (?:second|third|other|last|further))\s[^.;\n]{0,60}"
    r"\b(?:but|and|yet|though|which|that)\b[^.;\n]{0,20}$"
)
_STOP = re.compile(r"[.;?!](?=\s|$)|\n")
_AGAIN = re.compile(  # after "no": says why, so it is no answer
    r"[\s,.;:-]*(?:i (?:mis\w+|was|meant|mean|got|looked|read|copied|took|confused|mixed|swapped|wrote|am|did)\b|wait"
    r"|sorry|scratch|that(?:'s| is| was)|it(?:'s| is| was) (?:not )?(?:the )?(?:19|20)\d\d|not (?:that|quite|right)"
    r"|rather|make)\b"
)


@dataclass(frozen=True, slots=True)
class Revised:
    """A response's versions in their order, and how many of the first ones it withdraws."""

    versions: tuple[Plain, ...]
    withdrawn: int = 0


def revised(text: Plain) -> Revised:
    """Return the versions of a text; a text that takes nothing back is its only version."""
    whole = _edited(_finished(text.text))
    whole = _without_own_things(Plain(whole))
    plain = Plain(whole)
    parts: list[str] = []
    start = withdrawn = 0
    for found in _MARK.finditer(plain.lower):
        if len(parts) == MOST:
            break
        interjected = found["no"] and _AGAIN.match(plain.lower, found.end())
        # a "no" already belongs to the next version, unless it only says that this is one
        end = found.start("no") if found["no"] and not interjected else found.end()
        before = whole[start : found.start() if found["withdraws"] or interjected else end]
        if _ADDS.match(plain.lower, found.end()):
            continue
        if not re.search(r"\w", whole[start : found.start()]) and not parts:
            continue
        parts.append(before)
        start, withdrawn = end, len(parts) if found["withdraws"] else withdrawn
    rest = whole[start:]
    if not parts:
        return Revised((text if whole == text.text else plain,))
    return Revised((*map(Plain, parts), Plain(rest.lstrip(" ,.;:!-\u2026"))), withdrawn)


def announced(text: str) -> str:
    """Return the words by which a stretch of text corrects or withdraws what stands before it; empty if none."""
    found = _MARK.search(Plain(text).lower)
    return text[found.start() : found.end()].strip() + " " if found else ""


def _without_own_things(text: Plain) -> str:
    """Return a text without the sentences that withdraw only what they name themselves, such as "another SNP"."""
    kept, start = [], 0
    for found in _MARK.finditer(text.lower):
        if not found["withdraws"] or found.start() < start:
            continue
        line = max(start, found.start() - 200)
        line = max([line, *(stop.end() for stop in _STOP.finditer(text.lower, line, found.start()))])
        if _OWN_THING.search(text.lower[line : found.start()]):
            stop = _STOP.search(text.lower, found.end())
            kept.append(text.text[start:line])
            start = stop.end() if stop else len(text.text)
    return "".join(kept) + text.text[start:] if start else text.text


def _finished(text: str) -> str:
    """Return a text without values that break off, such as the first digits of an identifier before three dots."""

    def kept(found: re.Match[str]) -> str:
        return "..." if _VALUE.search(found[0]) else found[0]

    return _UNFINISHED.sub(kept, text)


def _edited(text: str) -> str:
    """Return a text in which a value that it says to read as another one, or to leave out, has been edited so."""
    for _ in range(_MOST_EDITS):
        if found := _SHOULD_BE.search(text):
            old, new = found["old"], found["new"]
        elif found := _IN_PLACE.search(text):
            old, new = (found["a"], found["b"]) if found["a"] else (found["c"], found["d"])
            if found["back"] or (found["a"] and re.match(r"(?:make|read)", found[0], re.IGNORECASE)):
                old, new = new, old
        elif found := _FIRST_HAD.search(text):
            text = text[: found.start()] + found["new"] + text[found.end() :]
            continue
        elif (found := _DROPS.search(text)) and _VALUE.search(found["old"]):
            old, new = found["old"], ""
        else:
            break
        if not _VALUE.search(old):
            break
        rest = text[: found.start()] + (new if new else "") + text[found.end() :]
        text = re.sub(rf"(?<![\w.]){re.escape(old.rstrip('.:'))}(?![\w])", new, rest)
    return text
