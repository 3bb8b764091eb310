"""Options whose words a text takes back: not this one, neither that one, these two make no sense.

It knows one text and where the options' words stand in it; it must never know which option is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from harness.scorers.outcome.v2 import science_patterns as patterns
from harness.scorers.outcome.v2.science_options import OptionMention

_JOINED = re.compile(
    r"(?: \([^()\n]{0,40}\))?[\"')]{0,2}(?:,? (?:and|or|nor) (?:also )?|, ?| ?/ ?)(?:not |the |an? |it's |it is |in "
    r"|by ){0,2}[\"'(]{0,2}"
)
_LINKS = re.compile(r"\b(?:and|or|nor|not)\b")
_OUT = re.compile(
    r"[\"')]{0,2},? (?:(?:is|are|was|were|would be|can be|could be|must be) (?:(?:all|both|also|clearly|obviously"
    r"|surely"
    r"|plainly|therefore|simply) ){0,2}(?:out\b|wrong|incorrect|excluded|eliminated|ruled out|not\b|false|impossible)"
    r"|(?:makes?|made) no sense|do(?:es)?(?:n't| not)|can(?:not|'t)|(?:has|have) (?:none|no)\b|(?:is|are)n't)"
    r"|[\"')]{0,2}\? No\b",
    re.IGNORECASE,
)
_NONE = re.compile(r"[\"')]{0,2} (?:has|have) none[.!]?\s*\Z", re.IGNORECASE)  # the one without is not taken back
_REJECTS = re.compile(
    r"\b(?:not|nor|neither|rul(?:e|es|ed|ing) out|eliminat(?:e|es|ed|ing)|exclud(?:e|es|ed|ing)|discard(?:ed|ing)?"
    r"|cross(?:ed|ing)? (?:out|off)|cannot be|nothing to do with|(?:can|is|was|are|could|does|do)n't(?: be)?)"
    r" (?:(?:the|an?|of|by|in|it's|it is|be|both|either|also) ){0,2}[\"'(]{0,2}\Z",
    re.IGNORECASE,
)


def denied(text: str, said: Sequence[OptionMention]) -> list[bool]:
    """Say of each mention whether the text takes it back; a list with `and` or `nor` goes as a whole."""
    found: list[bool] = []
    for run in _runs(text, said):
        starts, ends = [_before(text, each) for each in run], [_behind(text, each) for each in run]
        if len(run) > 1 and (starts[0] or ends[-1]) and _LINKS.search(text, run[-2].span[1], run[-1].span[0]):
            found += [True] * len(run)
        else:
            found += [start or end for start, end in zip(starts, ends, strict=True)]
    return found


def _runs(text: str, said: Sequence[OptionMention]) -> Iterator[list[OptionMention]]:
    """Give the mentions list by list: those between which nothing stands but commas, `and`, `or` and `nor`."""
    run: list[OptionMention] = []
    for mention in said:
        if run and not _JOINED.fullmatch(text, run[-1].span[1], mention.span[0]):
            yield run
            run = []
        run.append(mention)
    if run:
        yield run


def _before(text: str, mention: OptionMention) -> bool:
    start = mention.span[0]
    return _REJECTS.search(text[max(0, start - 40) : start]) is not None


def _behind(text: str, mention: OptionMention) -> bool:
    end = mention.span[1]
    if patterns.DENIED.match(text[end : end + 40]) is not None:
        return True
    return _OUT.match(text, end) is not None and _NONE.match(text, end) is None
