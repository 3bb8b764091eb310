"""LMScore: the score of a judge's first word, from the log-probabilities of good, okay, bad (docs/curie.md#lmscore).

The paper published no code: M0 to M3 are OURS, and results are called `lmscore_project`, the same in both modes. Sees
no judge and no prompt.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from harness.rowtypes import Found
from harness.studies.curie.scoring.found import VALID, finding, missing
from harness.studies.curie.tasks import STRICT

LMSCORE = "lmscore_project"
WEIGHTS: Mapping[str, float] = {"bad": 0.0, "ok": 0.5, "good": 1.0}
TOKENS: Mapping[str, str] = {"good": "good", "ok": "ok", "okay": "ok", "bad": "bad"}  # M3: the class of a token
TOP = 5  # log-probabilities that are read (M2)
ROUNDING = 1e-3  # a log-probability computed in half precision may exceed 0 by this
LEAST = -1e6  # lower values have no probability either
FLOOR = 1e-9  # for a class that is not among them (M1)


def first_token(logprobs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the likeliest tokens at a reply's first token whose text is not blank (M0), in the form `score` takes.

    `logprobs` is the field of a response row: {token, logprob, top: [[token, logprob], …]} for each token. Empty if
    every token is blank.
    """
    first = next((one for one in logprobs if str(one["token"]).strip()), None)
    return [{"token": token, "logprob": logprob} for token, logprob in first["top"]] if first else []


def score(top_logprobs: Sequence[Mapping[str, Any]], mode: str = STRICT) -> Found:
    """Score a judge's reply by `{token, logprob}` of the first generated token whose text is not blank (M0).

    The value is missing if none of the three classes is listed, or if a log-probability is not a number up to 0.
    """
    entries = sorted(((_logprob(one), one.get("token")) for one in top_logprobs), key=lambda one: one[0], reverse=True)
    if any(math.isnan(logprob) for logprob, _ in entries):
        return _without(mode, "a log-probability is no number up to 0")
    listed: dict[str, float] = {}
    for logprob, token in entries[:TOP]:
        name = TOKENS.get(token.strip().lower()) if isinstance(token, str) else None
        if name:
            listed[name] = listed.get(name, 0.0) + math.exp(logprob)
    if not listed:
        return _without(mode, "none of good, ok, okay and bad is among the first five")
    weights = _weights(listed, [math.exp(logprob) for logprob, _ in entries[:TOP]])
    total = math.fsum(weights.values())
    if not total:
        return _without(mode, "the three classes have no probability at all")
    shares = {name: weight / total for name, weight in weights.items()}
    value = math.fsum(WEIGHTS[name] * share for name, share in shares.items())
    metrics = {LMSCORE: value, **{f"p_{name}": share for name, share in shares.items()}}
    return finding(mode, value, VALID, metrics)


def _weights(listed: Mapping[str, float], top: Sequence[float]) -> dict[str, float]:
    """Return the probability of each class; a class that is not listed gets at most its part of the rest (M1)."""
    absent = len(WEIGHTS) - len(listed)
    rest = max(0.0, 1.0 - math.fsum(top)) / absent if absent else 0.0
    unseen = max(FLOOR, min(rest, *top))
    return {name: listed.get(name, unseen) for name in WEIGHTS}


def _logprob(entry: Mapping[str, Any]) -> float:
    """Return an entry's log-probability, with 0 for values that rounding put above 0; NaN if it is not one."""
    value = entry.get("logprob")
    if not isinstance(value, int | float) or isinstance(value, bool) or not value <= ROUNDING:
        return math.nan
    return float(min(max(value, LEAST), 0.0))


def _without(mode: str, why: str) -> Found:
    return finding(mode, missing(why), VALID, {LMSCORE: missing(why)})
