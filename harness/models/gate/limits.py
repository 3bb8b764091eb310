"""Rate limits (token buckets) and the spending limit of a model: requests wait for the first, fail at the second.

Counters live in memory; they never carry over to another gateway.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from harness.digest import canonical
from harness.models.gate.settings import ServedModel, TokenUsage

IMAGE = 1600  # tokens of an image, about; its bytes say nothing of that
_IMAGE = re.compile(rb'"(?:data:image/[a-z]+;base64,)?[A-Za-z0-9+/]{1000,}={0,2}"')


def estimate_tokens(bounds: Sequence[str], body: Mapping[str, Any]) -> int:
    """Estimate the tokens of a request: a quarter of its bytes, 1,600 for each image, and its longest answer.

    The longest answer is the first of the fields `bounds` that the body has; without one it counts as 0.
    """
    most = next((body[name] for name in bounds if name in body), 0)
    words, images = _IMAGE.subn(b"", canonical(body))
    return len(words) // 4 + images * IMAGE + (most if isinstance(most, int) and 0 < most < 1 << 32 else 0)


class Bucket:
    """A token bucket, which fills at a rate per minute up to `burst`.

    Each `take` lowers its level, below zero too; what lies below zero has to be waited for, first come first served.
    """

    def __init__(self, per_minute: int, burst: float) -> None:
        self.rate = per_minute / 60
        self.room = self.level = max(1.0, burst)
        self._then = time.monotonic()

    def take(self, amount: float) -> float:
        """Take an amount; returns the seconds to wait before it may be used."""
        now = time.monotonic()
        self.level = min(self.room, self.level + (now - self._then) * self.rate)
        self._then = now
        self.level -= min(amount, self.room)  # more than fits at all would never be let through
        return max(0.0, -self.level / self.rate)

    def settle(self, difference: float) -> None:
        """Correct the level by the difference between used and estimated amount."""
        self.level = min(self.room, self.level - difference)


class RateLimiter:
    """The rate limits and the spending limit of one model; it counts for the life of this gateway only."""

    def __init__(self, served: ServedModel) -> None:
        limits = served.limits
        a_minute, tokens = limits.requests_per_minute, limits.tokens_per_minute
        self._requests = Bucket(a_minute, a_minute / 60) if a_minute else None
        self._tokens = Bucket(tokens, tokens) if tokens else None
        self._prices, self._dollars = served.prices, limits.dollars
        self._closed_until = 0.0
        self.spent = Decimal(0)

    @property
    def exhausted(self) -> bool:
        """Whether the spending limit is reached; the last answer may exceed it, since its price is known afterwards."""
        return self._dollars is not None and self.spent >= self._dollars

    async def admit(self, estimate: int) -> None:
        """Wait until the rate limits allow a request of about so many tokens; the spending limit is not checked."""
        wait = max(
            self._requests.take(1) if self._requests else 0.0,
            self._tokens.take(estimate) if self._tokens else 0.0,
            self._closed_until - time.monotonic(),
        )
        if wait > 0:
            await asyncio.sleep(wait)

    def hold_back(self, seconds: float) -> None:
        """Hold back all later requests to the model for the seconds that the provider asked one of them to wait."""
        self._closed_until = max(self._closed_until, time.monotonic() + seconds)

    def charge(self, used: TokenUsage, estimate: int) -> Decimal:
        """Count the tokens and the price of an answer; returns the price in dollars, 0 where no prices are set."""
        if self._tokens:
            self._tokens.settle(used.prompt + used.completion - estimate)
        cost = self._prices.of(used) if self._prices else Decimal(0)
        self.spent += cost
        return cost
