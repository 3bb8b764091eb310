"""When a failed call is made again, and after how long; pure, and the same for the same request.

The jitter is drawn from the request's own digest: two requests that fail together do not come back together.
"""

from __future__ import annotations

import email.utils
import math
from collections.abc import Mapping

from harness import seeds

AGAIN = frozenset({408, 409, 425, 429})
LONGEST_ASKED = 120.0  # seconds that a provider may make us wait
LONGEST_BACKOFF = 30.0


def transient(status: int, headers: Mapping[str, str]) -> bool:
    """Whether the same request may be answered at another time; the provider's own word comes first."""
    word = headers.get("x-should-retry", "").strip().lower()
    if word in ("true", "false"):
        return word == "true"
    return status in AGAIN or status >= 500


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Give the seconds that a provider asks us to wait, bounded; none where it asks for nothing we understand."""
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
    """Give the seconds before the next attempt: doubled each time, between half and all of it."""
    longest = min(first * 2.0**attempt, LONGEST_BACKOFF)
    return longest * (0.5 + 0.5 * seeds.unit(seeds.derive(0, "gateway.backoff", request, attempt, repeat)))
