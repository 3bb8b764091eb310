"""Values of log-likelihoods: the most likely of several options, and the perplexity of a text. Pure functions.

The rules are lm-eval's: `acc` compares sums, `acc_norm` divides by the characters of an option, `acc_bytes` divides by
its bytes, and `acc_mutual_info` subtracts the option's log-likelihood without the question. Of equal values the first
wins. Does not see which option is right.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.errors import InputError
from harness.rowtypes import Found

NORMALISE = ("sum", "token", "character", "byte", "unconditional")


@dataclass(frozen=True, slots=True)
class Candidate:
    """An answer option with its log-likelihood, its letter and the measured text, without the space before it."""

    letter: str
    text: str
    logprob: float
    tokens: int
    alone: float | None = None  # its log-likelihood without the question


@dataclass(frozen=True, slots=True)
class LikeliestOption:
    """The option with the largest log-likelihood, its margin over the second, and all options' values by letter."""

    letter: str
    margin: float
    values: Mapping[str, float]


def likeliest(candidates: Sequence[Candidate], normalise: str = "sum") -> LikeliestOption:
    """Return the option with the largest log-likelihood; of equal values the first."""
    values = {each.letter: _value(each, normalise) for each in candidates}
    best, second = sorted(values.values(), reverse=True)[:2]
    letter = next(letter for letter, value in values.items() if value == best)
    return LikeliestOption(letter, best - second, values)


def _value(one: Candidate, normalise: str) -> float:
    """Return the value of an option that is compared."""
    if normalise == "unconditional":
        if one.alone is None:
            raise InputError("an option was not measured without its question", where=f"option {one.letter}")
        return one.logprob - one.alone
    if normalise not in NORMALISE:
        raise InputError(
            f"nothing is normalised by {normalise!r}", where="normalise", next=f"use one of: {', '.join(NORMALISE)}"
        )
    parts = {"sum": 1, "token": one.tokens, "character": len(one.text), "byte": len(one.text.encode())}
    return one.logprob / parts[normalise]


def perplexities(text: str, logprob: float, tokens: int) -> Found:
    """Return a text's score in nats per token, and its perplexities by token, word and byte as lm-eval defines them.

    Words are separated by whitespace. The detail also holds the sums, from which the perplexity of many texts together
    is computed.
    """
    words, size = len(re.split(r"\s+", text)), len(text.encode())
    metrics = {
        "token_perplexity": _exp(-logprob / tokens),
        "word_perplexity": _exp(-logprob / words),
        "byte_perplexity": _exp(-logprob / size),
        "bits_per_byte": -logprob / size / math.log(2),
    }
    detail = {"metrics": metrics, "logprob": logprob, "tokens": tokens, "words": words, "bytes": size}
    return {"value": -logprob / tokens, "detail": detail}


def _exp(nats: float) -> float | str:
    """Return e to a power; a result too large for a float is the text "inf", as rows have it."""
    try:
        return math.exp(nats)
    except OverflowError:
        return "inf"
