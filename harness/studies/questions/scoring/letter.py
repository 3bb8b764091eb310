"""The scorer `choice` by letter: finds the option that an answer names, by its letter or else by its text.

The first of these rules that finds a letter decides: the letter alone; the last `answer is X`; a letter that begins the
answer; one letter in brackets; one option's text; one letter that stands alone in a sentence. Independent of the model
that answered.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from harness.answers.science import folded, science_text
from harness.kit import graded
from harness.rowtypes import Found
from harness.studies.questions.compared import finding, stands, without

NO_OPTIONS = "the item has no options"
_ALONE = re.compile(r"[(\[{\"']?([A-Za-z])[)\]}\"']?[.:)]?")
_NOT_TWO = r"(?!\s*(?:[)\]]\s*)?(?:or\b|and\b|[,/&])\s*[(\[]?[A-HJ-Z](?![A-Za-z]))"  # as in `A or B`
_DENIED = r"(?<!not )(?<!n't )(?<!not \()(?<!n't \()"
_SAID = re.compile(
    r"\b(?:[Aa]nswer|ANSWER|[Oo]ption|OPTION|[Cc]hoice|CHOICE)\b(?:\s+(?:is|would be|should be))?\s*(?:[:=]\s*)?\$?"
    r"(?:\\(?:boxed|text|mathrm)\{){0,2}[(\[{\"']?(?:([A-Z])(?![A-Za-z'])" + _NOT_TWO + r"|([a-z])(?=[)\]}]|[.\s]*\Z))"
)
_BEGINS = re.compile(r"[(\[]?([A-Z])" + _NOT_TWO + r"(?:[)\].:,\r\n]|\s+[-\N{EN DASH}\N{EM DASH}]\s|\Z)")
_BRACKETED = re.compile(_DENIED + r"(?:\(([A-Z])\)|\[([A-Z])\]|\{([A-Z])\})")
_LONE = re.compile(_DENIED + r"(?<![\w'.-])([A-Z])(?![\w'-])")
_WORDS = re.compile(r"(?<![\w'.-])[AI] (?!or\b|and\b)(?=[a-z])")  # `A village`, `I think`: no letters


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score for each response: 1 if it names the right option's letter, 0 if it names another one or none."""
    graded.write(
        params,
        inputs,
        out,
        params["name"],
        lambda seen: choice(seen.response["text"], seen.gold["gold"], seen.item.get("options") or {}),
    )


def choice(response: str, gold: Mapping[str, Any], options: Mapping[str, str]) -> Found:
    """Score one multiple-choice answer: 1 if it names a right option; `rule` is the number of the rule that read it."""
    if not options:
        return without(NO_OPTIONS)
    letter, rule = named(response, options)
    return finding(int(letter in right(gold, options)), letter, rule=rule)


def right(gold: Mapping[str, Any], options: Mapping[str, str]) -> set[str]:
    """Return the letters of the right options: the target's, and those with the same text or an accepted text.

    An accepted answer is read as an option's text if one has that text, and only otherwise as a letter, since `A` may
    be the text of option C.
    """
    texts = {letter: text.strip() for letter, text in options.items()}
    target, accepted = str(gold.get("target")), {str(one).strip() for one in gold.get("accepted") or ()}
    wanted = accepted | ({texts[target]} if target in texts else set())
    return {target, *(accepted - {*texts.values()}), *(letter for letter, text in texts.items() if text in wanted)}


def named(response: str, options: Mapping[str, str]) -> tuple[str | None, int | None]:
    """Return the letter of the option that an answer names and the number of the rule that read it; None if none."""
    text = science_text(response)
    for rule, read in enumerate(_RULES, 1):
        found = read(text, options)
        if found is not None:
            return (found, rule) if found in options else (None, rule)
    return None, None


def _alone(text: str, options: Mapping[str, str]) -> str | None:
    found = _ALONE.fullmatch(text) if len(text) <= 5 else None
    return found[1].upper() if found else None


def _said(text: str, options: Mapping[str, str]) -> str | None:
    last = next(iter(deque(_SAID.finditer(text), maxlen=1)), None)
    return (last[1] or last[2]).upper() if last else None


def _begins(text: str, options: Mapping[str, str]) -> str | None:
    found = _BEGINS.match(text)
    return found[1] if found else None


def _bracketed(text: str, options: Mapping[str, str]) -> str | None:
    letters = {found.group()[1] for found in _BRACKETED.finditer(text)} & options.keys()
    return letters.pop() if len(letters) == 1 else None


def _texts(text: str, options: Mapping[str, str]) -> str | None:
    """Return the letter of the one option whose text occurs in the answer.

    A text that is part of another text found does not count. If options have the same text, the first is returned.
    """
    spelled = {letter: folded(science_text(option)) for letter, option in options.items()}
    whole = folded(text)
    found = {letter: one for letter, one in spelled.items() if one and stands(one, whole, "within")}
    longest = {
        letter
        for letter, one in found.items()
        if not any(one != other and stands(one, other, "within") for other in found.values())
    }
    return min(longest) if len({spelled[letter] for letter in longest}) == 1 else None


def _lone(text: str, options: Mapping[str, str]) -> str | None:
    letters = {found[1] for found in _LONE.finditer(_WORDS.sub("", text))} & options.keys()
    return letters.pop() if len(letters) == 1 else None


_RULES: tuple[Callable[[str, Mapping[str, str]], str | None], ...] = (
    _alone,
    _said,
    _begins,
    _bracketed,
    _texts,
    _lone,
)
