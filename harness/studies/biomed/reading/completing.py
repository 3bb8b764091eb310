"""Completes what a response leaves implicit: bare values, digits of an identifier, the heads of a table (OURS)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from harness.studies.biomed.reading.plain import MOST, Plain
from harness.studies.biomed.reading.questions import Question

_BARE = re.compile(
    r"[^\w-]{0,4}(?:(?:the )?(?:answer|it|value|result)(?: is)?:?\s|approximately |about |highest:? |maximum:? )?"
    r"(?P<value>-?\d[\d.,]{0,15}(?:\s?/\s?\d)?|i{1,3}|iv|i\s?/\s?ii|ii\s?/\s?iii|x|y)\W{0,3}",
    re.IGNORECASE,
)
_LETTER = re.compile(r"\W{0,4}(?P<said>[ynYN])(?:\W{0,4}$|\s?[,.;:-]\s|(?=\s?\()|(?=\s*\n))")
_SIGNS = re.compile(
    "([\u2705\u2713\u2714\u2611\U0001f44d])\\s*(?:yes\\b)?|[\u274c\u2717\u2718\u2716\U0001f44e] ?(?:no(?:ne)?\\b)?",
    re.IGNORECASE,
)  # ticks and crosses
_WORD = re.compile(r"\w{4,40}")  # long enough to be of the question's matter
_PH = re.compile(r"\bph\.?\s?(?=(?:[0-4]|i{1,3}|iv)\b)", re.IGNORECASE)
_PREFIXES = ("phase", "chromosome", "b")  # slots whose numbers are recognized by the word before them
_REGISTER = re.compile(
    r"\b(?P<of>chembl|efo|mondo)\b(?:\s(?:compound|molecule|drug))?\s(?:ids?|identifier|number|no\.?|accession|code|entry)"
    r"\b(?:(?:\s(?:for|of)\s[^\n.:;(),]{1,60}?)?(?:\s(?:is|was)\b|\s?[:=]))?\W{0,3}(?P<n>\d{2,12})\b",
    re.IGNORECASE,
)
_SPACED = re.compile(r"\brs\s(?=\d{4,12}\b)", re.IGNORECASE)
_ODDS = re.compile(r"\bOR\b(?=\s?(?:[=:~(]|of\s|is\s|about\s){1,2}\s?\d)")
_RULE = re.compile(r"[\s|:+-]*-[\s|:+-]*")  # the line under the heads of a table
_RANK = re.compile(r"\W*(?:#|no|nr|rank|number|s/?n|index)\W*", re.IGNORECASE)
_PROPERTY = re.compile(
    r"\W*(?:property|properties|field|attribute|item|parameter|feature|category|aspect|characteristic|question)\W*",
    re.IGNORECASE,
)
_MOST_CELLS = 40
_FENCED = re.compile(r"```(?:json)?\s*([\[{])", re.IGNORECASE)
_WORDS_OF_KEY = re.compile(r"[_\s]+|(?<=[a-z])(?=[A-Z])")
_ANSWER = re.compile(r"(?:answer|response|result|output|text|reply|value)s?", re.IGNORECASE)  # keys that say nothing
_DEPTH = 6  # levels of a JSON value that are read


def completed(text: Plain, asked: Question) -> Plain:
    """Return a text with its implicit parts written out: a phase for a bare number, heads beside cells."""
    if asked.yes_no and (letter := _LETTER.match(text.text)):
        return Plain(("Yes, " if letter["said"] in "yY" else "No, ") + text.text[letter.end() :])
    if asked.yes_no and _SIGNS.search(text.text):
        text = Plain("\n".join(_without_signs(text.text.split("\n"), asked)).strip())
    text = Plain(_PH.sub("phase ", text.text)) if _PH.search(text.text) else text
    bare = _BARE.fullmatch(text.text) if len(text.text) < 60 and not asked.yes_no else None
    if bare:
        value = bare["value"].rstrip(".,")
        if asked.wants == "chembl" and value.isdigit():
            return Plain(f"CHEMBL{value}")
        word = next((word for word in _PREFIXES if word in asked.slots), "")
        return Plain(f"{word} {value}") if word else text
    said = _SPACED.sub("rs", _REGISTER.sub(r"\g<of>\g<n>", text.text))
    said = _ODDS.sub("odds ratio", said)
    if "|" in said:
        said = "\n".join(_without_tables(said.split("\n")))
    return Plain(said) if said != text.text else text


def _without_signs(lines: list[str], asked: Question) -> Iterator[str]:
    """Write ticks and crosses as words in lines of signs alone, and in those that share a word with the question.

    In other lines they are an ornament, or praise of the answer, whose writer is not asked about it.
    """
    known = set(_WORD.findall(asked.lower))
    for line in lines:
        rest = set(_WORD.findall(_SIGNS.sub(" ", line).lower()))
        said = not any(map(str.isalnum, _SIGNS.sub(" ", line))) or rest & known
        yield _SIGNS.sub(lambda found: " yes " if found[1] else " no ", line) if said else line


def unpacked(response: str) -> str:
    """Return a response in which a JSON value, alone or fenced, is written as lines: a key's words, then the value."""
    some = response[:MOST]
    found = _FENCED.search(some)
    start = found.start(1) if found else len(some) - len(some.lstrip())
    if some[start : start + 1] not in ("{", "["):
        return response
    try:
        value, end = json.JSONDecoder(parse_float=str, parse_int=str).raw_decode(some, start)
    except (ValueError, RecursionError):
        return response
    before = some[: found.start()] if found else ""
    behind = re.sub(r"^\s*```", "", some[end:])
    told = [line if line.endswith((".", ":")) else f"{line}." for line in _lines(value, "", _DEPTH) if line]
    return "\n".join(part for part in (before.strip(), *told, behind.strip()) if part)


def _lines(value: Any, name: str, depth: int) -> Iterator[str]:
    """Yield the lines of a JSON value under the name of its key."""
    if isinstance(value, dict) and depth:
        value = {key: one for key, one in value.items() if one is not None} or value  # null beside a value is no answer
        if any(isinstance(one, (dict, list)) for one in value.values()) or not name:
            if name:
                yield f"{name}:"
            for key, one in value.items():
                yield from _lines(
                    one, "" if _ANSWER.fullmatch(key) and not isinstance(one, bool) else _words(key), depth - 1
                )
        else:
            yield f"- {name}: " + "; ".join(f"{_words(key)} {_said(one)}" for key, one in value.items())
    elif isinstance(value, list) and depth:
        if all(not isinstance(one, (dict, list)) for one in value):
            yield f"{name}: " * bool(name) + (", ".join(map(_said, value)) or "none")
            return
        if name:
            yield f"{name}:"
        for one in value:
            if isinstance(one, dict) and one and not any(isinstance(each, (dict, list)) for each in one.values()):
                pairs = [(_words(key), _said(each)) for key, each in one.items()]
                yield f"- {pairs[0][1]} ({pairs[0][0]}): " + "; ".join(" ".join(pair) for pair in pairs[1:])
            else:
                yield from _lines(one, "", depth - 1)
    else:
        yield f"{name}: {_said(value)}" if name else _said(value)


def _words(key: str) -> str:
    return " ".join(part for part in _WORDS_OF_KEY.split(key) if part)


def _said(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else "unknown" if value is None else str(value)


def _without_tables(lines: list[str]) -> Iterator[str]:
    """Yield lines, with table rows as items of a list: the first cell, then each other cell after its head."""
    heads: list[str] = []
    for number, line in enumerate(lines):
        follows = lines[number + 1] if number + 1 < len(lines) else ""
        if "|" not in line:
            heads = []
            yield line
        elif "|" in follows and _RULE.fullmatch(follows):
            heads = _cells(line)
        elif not heads:
            yield line
        elif not _RULE.fullmatch(line):
            yield _row(heads, _cells(line))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")][:_MOST_CELLS]


def _row(heads: list[str], cells: list[str]) -> str:
    pairs = [(head, cell) for head, cell in zip(heads, cells, strict=False) if cell]
    if len(pairs) > 1 and (_RANK.fullmatch(pairs[0][0]) or pairs[0][0] == "#"):
        pairs = pairs[1:]
    if not pairs:
        return ""
    (head, first), rest = pairs[0], pairs[1:]
    if _PROPERTY.fullmatch(head) or (not head and len(rest) == 1):
        return f"- {first}: " + "; ".join(cell for _, cell in rest)
    if not head:
        return f"- {first}: " + "; ".join(f"{name} {cell}" for name, cell in rest)
    return f"- {first} ({head}): " + "; ".join(f"{name} {cell}" for name, cell in rest)
