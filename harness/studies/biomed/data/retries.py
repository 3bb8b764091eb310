"""The retries of the published code as a pure function: from a model's replies to the stored text and the sleeps.

Nothing here waits or queries a model. A run of this study does not retry in this way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from harness.errors import InputError
from harness.studies.biomed.terms import FAILED

RETRIES, INITIAL_DELAY = 3, 2  # as published
MOST_RETRIES = 60
INVALID = "Error in"  # a reply that contains this text, in this letter case, has failed


class RetriedReply(NamedTuple):
    """The outcome of retried queries: stored text, number of queries, and the seconds slept after each failure."""

    result: str
    queries: int
    delays: list[int]


def retried(
    query: str,
    replies: Sequence[str],
    *,
    retries: int = RETRIES,
    initial_delay: int = INITIAL_DELAY,
    repeat: bool = True,
) -> RetriedReply:
    """Return the text that the published code stores after retries, if a model gives these replies, one per query.

    A reply that contains INVALID has failed. The code sleeps after every failure, including the last one, and doubles
    the sleep each time. If all queries fail, it stores a text that begins with FAILED. The last reply is used for all
    further queries unless `repeat` is false. Raise InputError for too few replies and for numbers that are out of
    bounds.
    """
    if not 1 <= retries <= MOST_RETRIES or not 0 <= initial_delay <= 10**6:
        raise InputError(
            f"{retries} queries with {initial_delay} s of sleep after the first are out of bounds",
            where="retries",
            next=f"ask 1 to {MOST_RETRIES} times, and sleep for 0 to 1,000,000 s",
        )
    delays: list[int] = []
    for place in range(retries):
        if place >= len(replies) and not (repeat and replies):
            raise InputError(f"there is no reply to query {place + 1}", where="responses", next="give one more reply")
        reply = replies[min(place, len(replies) - 1)]
        if INVALID not in reply:
            return RetriedReply(reply, place + 1, delays)
        delays.append(initial_delay * 2**place)
    text = f"{FAILED} for '{query}' after {retries} retries. Last error: {reply}"
    return RetriedReply(text, retries, delays)
