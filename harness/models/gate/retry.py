"""Retry policy: which failed calls are retried, and after which delay (exponential backoff with jitter); pure.

The jitter is drawn from the request's digest: deterministic, and different for requests that fail together.
"""

from __future__ import annotations

import email.utils
import math
from collections.abc import Mapping

from harness import seeds

AGAIN = frozenset({408, 409, 425, 429})
LONGEST_ASKED = 120.0  # longest Retry-After that is obeyed, in seconds
LONGEST_BACKOFF = 30.0


def transient(status: int, headers: Mapping[str, str]) -> bool:
    """Whether a retry may succeed, by the HTTP status; the header `x-should-retry` takes precedence."""
    word = headers.get("x-should-retry", "").strip().lower()
    if word in ("true", "false"):
        return word == "true"
    return status in AGAIN or status >= 500


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Read how many seconds the provider asks to wait from its headers, at most 120; None where they do not say.

    They are `retry-after-ms`, and `retry-after` as a number or as a date, which counts from the header `date`.
    """
    for name, divisor in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / divisor
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return min(seconds, LONGEST_ASKED)
    then, now = _instant(headers.get("retry-after", "")), _instant(headers.get("date", ""))
    if then is None or now is None:  # a date is held against the provider's own clock, not against ours
        return None
    return min(max(then - now, 0.0), LONGEST_ASKED)


def _instant(date: str) -> float | None:
    try:
        return email.utils.parsedate_to_datetime(date).timestamp()
    except (ValueError, OverflowError):
        return None


def backoff(first: float, attempt: int, request: str, repeat: int) -> float:
    """Compute the seconds before the next attempt: `first`, doubled at each attempt up to 30, with jitter.

    The jitter takes between half and all of that, by the request's digest, its repeat and the attempt.
    """
    longest = min(first * 2.0**attempt, LONGEST_BACKOFF)
    return longest * (0.5 + 0.5 * seeds.unit(seeds.derive(0, "gateway.backoff", request, attempt, repeat)))
