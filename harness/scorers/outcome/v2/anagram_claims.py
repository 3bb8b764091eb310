"""The words that an answer to an anagram puts forward, and how strongly, by the rules OURS-v2.

It knows one text, the letters and what solves them; it must never know what a word put forward means for a label.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from harness.scorers.outcome.v2 import anagram_patterns as patterns
from harness.scorers.outcome.v2.anagram_words import NO_ANSWER, ORDINARY
from harness.scorers.outcome.v2.claims import Span, avoidance

STATED, SHOWN, LONE, MET = 4, 3, 2, 1  # how strongly a word is put forward


@dataclass(frozen=True, slots=True)
class WordClaim:
    """A word put forward: where, and how strongly; 0 where the text takes it back."""

    word: str
    span: Span
    strength: int


class _Claims:
    """Collects the words that a text puts forward, each place once at its strongest."""

    def __init__(self, text: str, letters: str, solutions: frozenset[str]) -> None:
        self.text, self.letters, self.solutions = text, letters, solutions
        self.strengths: dict[Span, int] = {}

    def word(self, span: Span) -> str:
        """Give the word at a place."""
        return _unhyphened(self.text[span[0] : span[1]], self.solutions)

    def likely(self, word: str) -> bool:
        """Whether a word solves the anagram or looks like an attempt."""
        return word in self.solutions or alike(word, self.letters)

    def add(self, span: Span, strength: int) -> None:
        """Put a word forward, unless it is the anagram itself or a small word that is not meant."""
        word = self.word(span)
        if word in ORDINARY and word in self.solutions and not _meant(self.text, span, word):
            return
        if word != self.letters and len(word) > 1 and (word in self.solutions or word not in NO_ANSWER):
            self.strengths[span] = max(strength, self.strengths.get(span, 0))


def put_forward(text: str, letters: str, solutions: frozenset[str]) -> list[WordClaim]:
    """Collect the words a text puts forward, in their order; of strength 0 where it takes them back."""
    claims = _Claims(text, letters, solutions)
    shuffled = {found.span(1) for found in patterns.SHUFFLED.finditer(text)}
    for span in shuffled:
        claims.add(span, STATED)
    _add_said(claims)
    _add_alone(claims)
    _add_met(claims)
    return [
        WordClaim(claims.word(span), span, strength if span in shuffled or not _rejected(text, span) else 0)
        for span, strength in sorted(claims.strengths.items())
    ]


def _add_said(claims: _Claims) -> None:
    """Add the words that a sentence states, shows or quotes."""
    text = claims.text
    declines = avoidance(text)[1] is not None
    for pattern in patterns.STATED:
        for found in pattern.finditer(text):
            quoted = text[found.start(1) - 1] in "\"'"
            if quoted or claims.likely(found.group(1)) or (not declines and _ends(text, found.end(1))):
                claims.add(found.span(1), STATED)
    for pattern in (*patterns.SHOWN, patterns.QUOTED):
        for found in pattern.finditer(text):
            if claims.likely(found.group(1)):
                claims.add(found.span(1), SHOWN)


def _add_alone(claims: _Claims) -> None:
    """Add the words that stand in a line alone, or end the text behind a sign."""
    text = claims.text
    last = patterns.LAST.search(text)
    if last and last.group(1) not in ORDINARY and (text[last.start()] == ":" or claims.likely(last.group(1))):
        claims.add(last.span(1), LONE)
    for found in patterns.LONE.finditer(text):
        if claims.likely(found.group(1)) or found.group() == text:
            claims.add(found.span(1), LONE)


def _meant(text: str, span: Span, word: str) -> bool:
    """Whether a right word that is a word of many sentences, too, is meant as the answer where it stands."""
    before, after = text[max(0, span[0] - 8) : span[0]], text[span[1] : span[1] + 2]
    if before[-1:] == '"' and after[:1] == '"':
        return True
    if re.match(r"[\"']?\s*(?:$|[.,!?;)\n])", text[span[1] : span[1] + 4]) is None:
        return False
    if word in NO_ANSWER:
        return re.search(r"(?:^|\n|\b(?:is|be|spells) |[:=>] ?)[\"']?$", before) is not None
    return True


def _unhyphened(word: str, solutions: frozenset[str]) -> str:
    """Give a word without hyphens where that is a right one (`wa-ter`), else as it stands."""
    joined = word.replace("-", "")
    return joined if joined in solutions else word


def _ends(text: str, end: int) -> bool:
    """Whether a claimed word ends what is said: a word in the middle of a sentence says something of the answer."""
    return (
        re.match(r"[\"']?(?: [a-z]+)?\s*(?:$|[.,!?;:)\n]|- |because|which|since|but\b|\()", text[end : end + 20])
        is not None
    )


def _add_met(claims: _Claims) -> None:
    """Add right words that are merely met, and other arrangements of the letters; then the words of a short answer."""
    words = list(patterns.WORD.finditer(claims.text))
    ordered = sorted(claims.letters)
    for place, found in enumerate(words):
        word = claims.word(found.span())
        if word in claims.solutions:
            _add_right(claims, found, place, len(words))
        elif len(word) == len(ordered) and word != claims.letters and sorted(word) == ordered:
            claims.add(found.span(), MET)
    _add_short(claims, words)


def _add_right(claims: _Claims, found: re.Match[str], place: int, count: int) -> None:
    """Add a right word that is met: at the head of a text more readily than within it, a short one only there."""
    word = claims.word(found.span())
    before, after = claims.text[: found.start()], claims.text[found.end() :]
    leads = place == 0 or not before.strip(" \"'0123456789.)(-")
    if word not in ORDINARY and (len(word) >= 5 or (leads and len(word) > 3)):
        claims.add(found.span(), LONE if leads else MET)
    elif leads and (count <= 3 or re.match(r"\W*(?:,| is |$|\n|\(|/| or | and |\.)", after)):
        claims.add(found.span(), LONE)


def _add_short(claims: _Claims, words: list[re.Match[str]]) -> None:
    """Add the words of an answer of a few words, and the first word of a longer one where a sign follows it."""
    text = claims.text
    content = [found for found in words if found.group() not in NO_ANSWER and found.group() != claims.letters]
    asks = text.endswith("?") and len(words) > 2
    few = len(words) <= 5 and (len(content) <= 2 or patterns.BARE_LIST.fullmatch(text) is not None)
    if content and few and not asks and avoidance(text)[1] is None:
        for found in content:
            said = len(words) <= 2 or len(content) > 1 or claims.likely(found.group())
            if len(words) == 1 or (said and found.group() not in ORDINARY):
                claims.add(found.span(), LONE)
    elif content and words[0] in content and len(words[0].group()) > 2 and alike(words[0].group(), claims.letters):
        ends = re.match(r"[\"']?(?:[.,!;\n]|$| [(-])", text[words[0].end() : words[0].end() + 3])
        if ends:
            claims.add(words[0].span(), LONE)


def alike(word: str, letters: str) -> bool:
    """Whether a word looks like an attempt: about as long, and most letters the same."""
    word = word.replace("-", "")
    if not 2 <= len(word) <= 2 * len(letters):
        return False
    shared = sum((Counter(word) & Counter(letters)).values())
    return shared >= 0.6 * max(len(word), len(letters) - 1)


def _rejected(text: str, span: Span) -> bool:
    before, after = text[max(0, span[0] - 40) : span[0]], text[span[1] : span[1] + 50]
    if patterns.REJECTED_AFTER.match(after):
        return True
    return patterns.REJECTED_BEFORE.search(before) is not None and not re.search(
        r"(?:if|am|'m|why) not[ \"']*$", before
    )
