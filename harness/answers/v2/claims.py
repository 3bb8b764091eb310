"""Shared parts of the rules OURS-v2 that search for the answer a text commits to: plain reading, doubt, change of mind.

The functions work on text alone and run in linear time. Of a long response only the beginning and the end are read,
because a real answer has no more than some thousand characters.
"""

from __future__ import annotations

import re

from harness.answers.prepare import Avoidance
from harness.answers.text_cache import cached_by_text
from harness.answers.v2.layout import flattened
from harness.answers.v2.text import prepared, refusal

HEAD, TAIL = 4_000, 1_500  # characters read of a response; the study's budgets are far smaller

Span = tuple[int, int]

_ANSWER_TAG = re.compile(r"<(?:final_?)?answer>", re.IGNORECASE)
_TAG = re.compile(r"(?!<[A-D]>\Z)</?[a-zA-Z][a-zA-Z0-9_]{0,20}/?>")
_BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{\s*(?:\\[a-z]{2,10}\s*\{)?([^{}]{1,200})\}{1,2}")
_COMMAND = re.compile(r"\\(?:text|mathrm|mathbf|textbf|emph|textit|mathit|operatorname)\s*\{([^{}]{0,200})\}")
_SIGNS = {ord(sign): '"' for sign in "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a\u300c\u300d\u300e\u300f`"}
_SIGNS.update({ord("\u2192"): "->", ord("\u21d2"): "=>", ord("\u2212"): "-", ord("\u2010"): "-", ord("\u2011"): "-"})
_SIGNS.update({ord("\u2013"): " - ", ord("\u2014"): " - ", ord("\u2022"): "- ", ord("\u00b7"): " ", ord("\u00ad"): ""})
_BULLET = re.compile(r"^[ \t]*(?:[*+-]|#{1,6})[ \t]+", re.MULTILINE)
_INITIAL = re.compile(r"(?<![\w*])\*{1,3}(\w{1,4})\*{1,3}(?=\w)")  # **E**lephant
_STARS = re.compile(r"\*{1,3}|_{2,3}|~{2}|\"{2,3}")
_SPACES = re.compile(r"[^\S\n]+")
_LINES = re.compile(r" *\n[ \n]*")

# A change of mind, or a word that takes back the text before it.
CHANGE = re.compile(
    r"\b(?:wait|actually|correction|corrected|oops|scratch that|on second thought|second thoughts?|"
    r"on (?:further |closer )?(?:reflection|consideration|inspection)|thinking (?:again|it over)|come to think of it|"
    r"let me (?:re|correct|"
    r"try again|fix)|i (?:made|meant|mean|misspoke|was wrong|stand corrected|take (?:that|it) back)|no,|"
    r"nope|hmm+|sorry|"
    r"rather|apolog\w+|my mistake|mistake|hold on|hang on|instead|strike that|reconsider\w*|double.check\w*|revis\w+|"
    r"(?:that|this|it)(?:'s| is| was) (?:not (?:right|correct|it)|wrong|incorrect)|edit:|update:|after all|but no"
    r"|errat(?:um|a)|corrigend(?:um|a)|typo\b|misprint"
    r"|slip of the (?:pen|tongue))",
    re.IGNORECASE,
)

# Words that decline, in addition to those of `refusals`: they say that the thing asked for is missing.
_MISSING = re.compile(
    r"\b(?:(?:do|does|did)(?: not|n't) (?:seem to |appear to |actually )?(?:form|spell|make|correspond|"
    r"match|unscramble|"
    r"rearrange|exist)|(?:there|it) (?:is|are|was|were|seems to be|appears to be) (?:no|not (?:a|any|one|enough))\b|"
    r"there (?:isn't|aren't)|no (?:such|valid|english|known|common|single|other|larger|meaningful|"
    r"possible|real|dictionary|"
    r"recogni[sz]able) (?:\w+ ){0,2}(?:words?|city|cities|anagrams?|arrangements?|solutions?|options?)|"
    r"isn't (?:a|an) |"
    r"not (?:a|an) (?:valid|real|english|known|actual)|would (?:have|need) to (?:look|check|see|consult|"
    r"know)|depends on|"
    r"clueless|stumped|baffled|at a loss|unsolvable|gibberish|giv(?:e|ing) up|gave up|i (?:do not|don't|didn't) "
    r"(?:\w+ ){0,2}(?:recogni[sz]e|see|recall|remember|think there|have)|not (?:\w+ ){0,2}(?:familiar|"
    r"aware|confident)|"
    r"would you (?:like|please)|a map|google|look (?:it|this|that) up|unclear|unknown|impossible)(?!\w)",
    re.IGNORECASE,
)


@cached_by_text(256)
def reading(response: str) -> str:
    """Return the text that rules read: prepared, bounded, thoughts and tags removed, emphasis as a quote."""
    text = flattened(bounded(prepared(bounded(response))))
    if "<" in text:
        text = _TAG.sub(" ", _ANSWER_TAG.sub("\nanswer: ", text))
    if "\\" in text:
        text = _COMMAND.sub(r"\1", _BOXED.sub(r'answer: "\1"', text))
        text = text.replace("\\(", " ").replace("\\)", " ").replace("\\[", " ").replace("\\]", " ").replace("\\n", "\n")
    if "*" in text:
        text = _INITIAL.sub(r"\1", text)
    text = _BULLET.sub("- ", text.translate(_SIGNS))
    text = _STARS.sub('"', text.replace("\\", " ").replace("$", " "))
    return _LINES.sub("\n", _SPACES.sub(" ", text)).strip()


def bounded(response: str) -> str:
    """Return the beginning and the end of a long text, or all of a short one."""
    if len(response) <= HEAD + TAIL:
        return response
    return f"{response[:HEAD]}\n{response[-TAIL:]}"


def avoidance(text: str) -> tuple[Avoidance, Span | None]:
    """Return the first words that decline to answer in a text from `reading`; non_conforming if there are none."""
    kind, span = refusal(text)
    if span is None and (found := _MISSING.search(text)):
        return "epistemic", found.span()
    return kind, span


_DOUBTS = re.compile(
    r"\b(?:(?:i'm|i am) )?(?:not (?:\w+ ){0,2}?(?:sure|certain|confident|positive)|unsure|uncertain|(?:hard"
    r"|difficult|tough) to (?:say|tell|know)"
    r"|(?:do not|don't|can't|cannot) (?:\w+ )?(?:quite |really )?(?:be (?:\w+ )?(?:sure|certain)|guarantee|vouch"
    r"|promise|verify|confirm|double-check|check|swear)"
    r"|(?:have not|haven't) (?:\w+ )?(?:checked|verified|measured|looked))\b",
    re.IGNORECASE,
)


def declines(text: str) -> bool:
    """Whether a text from `reading` declines to answer, and does not only doubt its answer."""
    return avoidance(text)[1] is not None and avoidance(_DOUBTS.sub(" ", text))[1] is not None


_HANGING = re.compile(
    r"(?:\b(?:[Tt]hen|[Nn]ext|[Ss]o|the|a|an|and|or|of|is|are|was|to|in|on|at|by|for|with|where|which|"
    r"that|then|so|next|because|since|but|if|as|be|"
    r"would be|have|has|from|first|we|this|it)|,)$"
)


def changed(text: str, start: int, end: int) -> bool:
    """Whether a text changes its mind between two places."""
    return CHANGE.search(text, start, end) is not None


def cut_off(text: str) -> bool:
    """Whether a longer text stops in the middle of a sentence."""
    end = text.rstrip()
    if _HANGING.search(end):
        return True
    return (len(text) > 80 and text.rstrip()[-1:] not in tuple(".!?)]}\"':;\u3002")) or text.rstrip()[-1:] == ","
