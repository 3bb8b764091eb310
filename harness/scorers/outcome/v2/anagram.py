"""Labelling rules for answers to anagrams: correct, avoidant or incorrect, rule set OURS-v2.

It knows one response and what was asked; it must never know a model, a prompt, a file or another response.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from harness.scorers.outcome.result import LabelResult, truncated
from harness.scorers.outcome.v2 import anagram_patterns as patterns
from harness.scorers.outcome.v2.anagram_claims import STATED, WordClaim, alike, put_forward
from harness.scorers.outcome.v2.anagram_words import NO_ANSWER
from harness.scorers.outcome.v2.claims import CHANGE, Span, avoidance, changed, reading
from harness.scorers.outcome.v2.text import RULE_SET, cut_next_question
from harness.scorers.text_cache import cached_by_text

_TARGET: Mapping[str, Any] = MappingProxyType({"alternate_used": False})
_ALTERNATE: Mapping[str, Any] = MappingProxyType({"alternate_used": True})
_UNTOLD: Mapping[str, Any] = MappingProxyType({})
MOST_LONE, MOST_IN_LINE = 15, 50  # words one a line, and words of a line without the small words of a sentence


@lru_cache(maxsize=64)  # an item is asked in all its wordings one after another
def _solutions(letters: str, accepted: tuple[str, ...], target: str | None) -> frozenset[str]:
    words = accepted if target is None else (*accepted, target)
    return frozenset(word.lower() for word in words) - {letters}


def anagram_text(response: str, letters: str) -> str:
    """Give the text in which an anagram's rules read: plain, lower-case, letters spelled one by one joined."""
    return _text(response, letters.lower())


@cached_by_text(32)
def _text(response: str, letters: str) -> str:
    text = cut_next_question(reading(response), letters)
    return _own_pair(patterns.SPELLED.sub(lambda found: _joined(found, letters), text).lower(), letters)


def _joined(found: re.Match[str], letters: str) -> str:
    """Join letters given one by one; those of the anagram in its own order or any listing of them is no word."""
    word = "".join(re.findall(r"(?<![a-zA-Z])[a-zA-Z](?![a-zA-Z])", found.group())).lower()
    if word == letters or len(word) < 3 or letters.startswith(word):
        return " "
    if " and " in found.group() or word == "".join(sorted(word)):
        return " "
    return f" {word} " if found.group()[0] != '"' or found.group()[-1] != '"' else f'"{word}"'


def _own_pair(text: str, letters: str) -> str:
    """Cut a text where it goes on to an anagram of its own, given as a pair: other letters, and what they spell."""
    for found in patterns.PAIR.finditer(text):
        shown, word = found.groups()
        spells = shown != word and sorted(shown) == sorted(word) != sorted(letters)
        if found.start() and spells:
            return text[: found.start()]
    for found in patterns.MORE.finditer(text):
        asks = re.search(r"\b(?:this|letters|word|of)\b", found.group())
        if asks and letters not in found.group() and patterns.WORD.search(text[: found.start()]):
            return text[: found.start()]
    return text


def anagram(letters: str, accepted: Collection[str], response: str, target: str | None = None) -> LabelResult:
    """Label an answer to the anagram `letters`; with `target`, say whether only another accepted word was found.

    `c` where the word that the response commits to solves it, `i` where that is another word or several stand without
    a choice, else `a`. `matched_span` lies in `anagram_text`.
    """
    letters = letters.lower()
    solutions = _solutions(letters, tuple(accepted), target)
    text = _text(response, letters)
    claims = put_forward(text, letters, solutions)
    chosen = _chosen(text, claims, solutions)
    if chosen is not None and chosen.word not in solutions and _no_attempt(text, chosen, letters):
        chosen = None
    words = list(dict.fromkeys(claim.word for claim in claims if claim.strength))
    if chosen is None:
        if other := _other_script(text):
            return LabelResult("i", None, RULE_SET, other, truncated([text]), 1, _more(target, None))
        subtype, span = avoidance(text)
        return LabelResult("a", subtype, RULE_SET, span, truncated(words), len(words), _more(target, None))
    used = chosen.word if chosen.word in solutions else None
    return LabelResult(
        "c" if used else "i", None, RULE_SET, chosen.span, truncated(words), len(words), _more(target, used)
    )


def _no_attempt(text: str, chosen: WordClaim, letters: str) -> bool:
    """Whether a wrong word only stands in words that decline, or in a program."""
    if patterns.CODE.search(text):
        return True
    return (
        not alike(chosen.word, letters)
        and avoidance(text)[1] is not None
        and text[chosen.span[0] - 1 : chosen.span[0]] != '"'
    )


def _more(target: str | None, used: str | None) -> Mapping[str, Any]:
    """Say whether another word was taken for the target; without a target nothing can be said of it."""
    if target is None:
        return _UNTOLD
    return _ALTERNATE if used is not None and used != target.lower() else _TARGET


def _chosen(text: str, claims: list[WordClaim], solutions: frozenset[str]) -> WordClaim | None:
    """Choose the claim that a text commits to: the last one of the strongest, unless it only adds to a right one."""
    live = [claim for claim in claims if claim.strength]
    if not live or heap(text):
        return next((claim for claim in live if claim.word not in solutions), None)
    best = _strongest(text, live, solutions)
    last, right = best[-1], [claim for claim in best if claim.word in solutions]
    if not right:
        return last
    between = text[right[-1].span[1] : last.span[0]]
    if last.word not in solutions and (CHANGE.search(between) or patterns.TURNS.search(between)):
        return last
    return _unless_listed(right[-1], _listed(text, live), solutions)


def _strongest(text: str, live: list[WordClaim], solutions: frozenset[str]) -> list[WordClaim]:
    """Give the strongest claims, a right one that is no less meant, and those that a change of mind brings later."""
    strongest = max(claim.strength for claim in live)
    best = [claim for claim in live if claim.strength == strongest]
    met = [claim for claim in live if claim.word in solutions]
    if met and strongest < STATED and met[-1] not in best and not any(each.word in solutions for each in best):
        later = met[-1].span > best[-1].span
        if later or not changed(text, met[-1].span[1], best[-1].span[0]):
            best = sorted((*best, met[-1]), key=lambda claim: claim.span)
    for claim in live:
        if claim.span > best[-1].span and changed(text, best[-1].span[1], claim.span[0]):
            best.append(claim)
    return best


def heap(text: str) -> bool:
    """Whether a text is a heap of words: more of them than anybody would try, one a line or side by side."""
    lines = text.split("\n")
    if sum(patterns.LONE.fullmatch(line) is not None for line in lines) > MOST_LONE:
        return True
    for line in lines:
        words = patterns.WORD.findall(line)
        if len(words) > MOST_IN_LINE and 8 * sum(word in NO_ANSWER for word in words) < len(words):
            return True
    return False


def _listed(text: str, live: list[WordClaim]) -> list[list[WordClaim]]:
    """Group the claims that stand in one enumeration, side by side."""
    groups: list[list[WordClaim]] = []
    for claim in live:
        if groups and patterns.BESIDE.fullmatch(text, groups[-1][-1].span[1], claim.span[0]):
            groups[-1].append(claim)
        else:
            groups.append([claim])
    return groups


def _unless_listed(claim: WordClaim, groups: list[list[WordClaim]], solutions: frozenset[str]) -> WordClaim:
    """Give the claim, or where it stands in an enumeration behind a wrong word, that word: nothing was chosen."""
    for group in groups:
        if claim in group and len(group) > 1:
            words = {each.word for each in group}
            wrong = [each for each in group if each.word not in solutions]
            if wrong and len(words) > 1 and (group[0].word not in solutions or len(words) > 6):
                return wrong[0]
    return claim


def _other_script(text: str) -> Span | None:
    """Find a short answer in another script: it is put forward as a word, and no English one."""
    bare = text.strip(" .!?\"'")
    if bare and len(bare) <= 20 and not patterns.WORD.search(bare) and bare.replace(" ", "").isalpha():
        return 0, len(text)
    return None
