"""Whether a response is correct, avoidant or incorrect, under the rule set OURS-v1 (reliability 4.1).

It knows one response and what was asked; it must never know a model, a prompt, a file or another response.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, Literal

from harness.errors import InputError
from harness.scorers.prepare import RULE_SET, Avoidance, cue, prepare

CANDIDATES_KEPT = 20
CANDIDATE_LENGTH = 200  # a megabyte of digits is one candidate; the row keeps its head
REMEMBERED_LENGTH = 16_384
LONGEST_ADDEND = 4_000  # below Python's limit for turning text into a whole number

_SEPARATOR = re.compile(r"(?<=[0-9])[,_](?=[0-9]{3}(?![0-9]))")
# The specification's token, and with a dot before it what is no token: one that begins with a dot is dropped.
_NUMBER = re.compile(r"\.?[0-9]+(?:\.[0-9]+)?")
_DECIMAL = re.compile(r"[0-9]+")


@dataclass(frozen=True, slots=True)
class Outcome:
    """A label, with what is needed to check it by eye.

    `matched_span` is [start, end] in `addition_text(response)` of what decided: for `c` the first token equal to
    the sum, for `i` the first candidate about as long as an addend (or else the first candidate), for `a` the cue;
    None where nothing was found. `candidates` are the distinct tokens other than the addends, as compared
    and in their order, a right one among them; at most 20 are kept, `n_candidates` counts them all.
    """

    label: Literal["c", "a", "i"]
    avoidance: Avoidance | None
    rule_set: str
    matched_span: tuple[int, int] | None
    candidates: tuple[str, ...]
    n_candidates: int

    def row(self) -> dict[str, Any]:
        """Give the fields a score row keeps in its detail, the label among them."""
        return {
            "label": self.label,
            "avoidance": self.avoidance,
            "rule_set": self.rule_set,
            "matched_span": None if self.matched_span is None else list(self.matched_span),
            "candidates": list(self.candidates),
            "n_candidates": self.n_candidates,
        }


def addition_text(response: str) -> str:
    """Give the text in which the tokens of a sum are read: prepared, and without thousands separators."""
    text = prepare(response)
    return _SEPARATOR.sub("", text) if "," in text or "_" in text else text


def _compared(token: str) -> str:
    """Spell a token as it is compared: no leading zeros, no all-zero fraction; never through int()."""
    if "." in token:
        whole, _, fraction = token.partition(".")
        if fraction.strip("0"):
            return f"{whole.lstrip('0') or '0'}.{fraction}"
        token = whole
    return token.lstrip("0") or "0" if token[0] == "0" else token


@dataclass(frozen=True, slots=True)
class _Reading:
    """A response as the rules see it: its text, the first place of each distinct token, the longest token's digits."""

    text: str
    tokens: Mapping[str, tuple[int, int]]
    longest: int


def _read(response: str) -> _Reading:
    text = addition_text(response)
    tokens: dict[str, tuple[int, int]] = {}
    for found in _NUMBER.finditer(text):
        token = found.group()
        if token[0] != ".":
            tokens.setdefault(_compared(token), found.span())
    return _Reading(text, tokens, max(map(_digits, tokens), default=0))


# A refusal or a list often comes back word for word; what is read once need not be read for every item.
_read_again, _cue_again = lru_cache(maxsize=32)(_read), lru_cache(maxsize=32)(cue)


def addition(a: str, b: str, response: str) -> Outcome:
    """Label an answer to `a + b`, the addends as decimal strings."""
    a, b = a.lstrip("0") or "0", b.lstrip("0") or "0"
    total = str(int(a) + int(b))
    short = len(response) <= REMEMBERED_LENGTH
    seen = _read_again(response) if short else _read(response)
    tokens = seen.tokens
    count = len(tokens) - len({a, b} & tokens.keys())
    kept = tuple(map(_shortened, islice((token for token in tokens if token not in (a, b)), CANDIDATES_KEPT)))
    if total in tokens:
        return Outcome("c", None, RULE_SET, tokens[total], kept, count)
    # Section 4.1: a refusal may hold numbers ("30 digits"); only one about as long as an addend is an attempt.
    attempt, least = None, max(len(a), len(b)) - 1
    if count and seen.longest >= least:
        attempt = next((token for token in tokens if token not in (a, b) and _digits(token) >= least), None)
    if attempt is None:
        subtype, span = _cue_again(seen.text) if short else cue(seen.text)
        if not count or span:
            return Outcome("a", subtype, RULE_SET, span, kept, count)
        attempt = next(token for token in tokens if token not in (a, b))
    return Outcome("i", None, RULE_SET, tokens[attempt], kept, count)


def _digits(token: str) -> int:
    """Count the digits of a compared token; OURS: those of a fraction count too."""
    return len(token) - ("." in token)


def _shortened(token: str) -> str:
    """Keep a row small whatever the response: a very long candidate is shown by its head."""
    return token if len(token) <= CANDIDATE_LENGTH else token[:CANDIDATE_LENGTH] + "…"


def score_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Label one row by hand or over the command line, naming the field where the row is not what it must be."""
    benchmark = _text(row, "benchmark")
    if benchmark not in BENCHMARKS:
        known = ", ".join(BENCHMARKS)
        raise InputError(f"no rules for benchmark {benchmark!r}", where="benchmark", next=f"use one of: {known}")
    return BENCHMARKS[benchmark](row).row()


def _addition_row(row: Mapping[str, Any]) -> Outcome:
    a, b, response = (_text(row, name) for name in ("a", "b", "response"))
    for name, value in (("a", a), ("b", b)):
        if not _DECIMAL.fullmatch(value) or len(value) > LONGEST_ADDEND:
            raise InputError(
                f"`{name}` is not a whole number in decimal digits",
                where=name,
                next=f'give text such as "{name}": "42"',
            )
    return addition(a, b, response)


def _text(row: Mapping[str, Any], name: str) -> str:
    if name not in row:
        raise InputError(f"the field `{name}` is missing", where=name, next=f"give `{name}` in every row")
    value = row[name]
    if not isinstance(value, str):
        raise InputError(
            f"the field `{name}` is not text but {type(value).__name__}", where=name, next=f"give `{name}` as a string"
        )
    return value


BENCHMARKS = {"addition": _addition_row}
