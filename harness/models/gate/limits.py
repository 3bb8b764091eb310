"""What a model may be asked a minute, and what it may cost: waiting for the first, refusing for the second."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from harness.digest import canonical
from harness.models.gate.settings import Served, Used

IMAGE = 1600  # tokens that providers count for one, about; its bytes say nothing of that
_IMAGE = re.compile(rb'"(?:data:image/[a-z]+;base64,)?[A-Za-z0-9+/]{1000,}={0,2}"')


def estimated(bounds: Sequence[str], body: Mapping[str, Any]) -> int:
    """Guess the tokens of a request: a quarter of its bytes, its images, and all that it allows to be answered."""
    most = next((body[name] for name in bounds if name in body), 0)
    words, images = _IMAGE.subn(b"", canonical(body))
    return len(words) // 4 + images * IMAGE + (most if isinstance(most, int) and 0 < most < 1 << 32 else 0)


class Bucket:
    """A token bucket: what is taken beyond what it holds is waited for, first come first served."""

    def __init__(self, per_minute: int, burst: float) -> None:
        self.rate = per_minute / 60
        self.room = self.level = max(1.0, burst)
        self._then = time.monotonic()

    def take(self, amount: float) -> float:
        """Take an amount, and say how many seconds must pass before it may be used."""
        now = time.monotonic()
        self.level = min(self.room, self.level + (now - self._then) * self.rate)
        self._then = now
        self.level -= min(amount, self.room)  # more than fits at all would never be let through
        return max(0.0, -self.level / self.rate)

    def settle(self, difference: float) -> None:
        """Take what an answer needed beyond its estimate, or give back what it did not need."""
        self.level = min(self.room, self.level - difference)


class Allowance:
    """What is left of a model's limits in this gateway's life."""

    def __init__(self, served: Served) -> None:
        limits = served.limits
        a_minute, tokens = limits.requests_per_minute, limits.tokens_per_minute
        self._requests = Bucket(a_minute, a_minute / 60) if a_minute else None
        self._tokens = Bucket(tokens, tokens) if tokens else None
        self._prices, self._dollars = served.prices, limits.dollars
        self._closed_until = 0.0
        self.spent = Decimal(0)

    @property
    def broke(self) -> bool:
        """Whether nothing more may be asked: an answer's price is known only when it is there."""
        return self._dollars is not None and self.spent >= self._dollars

    async def enter(self, estimate: int) -> None:
        """Wait until a request of about so many tokens may go out."""
        wait = max(
            self._requests.take(1) if self._requests else 0.0,
            self._tokens.take(estimate) if self._tokens else 0.0,
            self._closed_until - time.monotonic(),
        )
        if wait > 0:
            await asyncio.sleep(wait)

    def close_for(self, seconds: float) -> None:
        """Hold all requests back for as long as the provider asked one of them to wait."""
        self._closed_until = max(self._closed_until, time.monotonic() + seconds)

    def paid(self, used: Used, estimate: int) -> Decimal:
        """Count what an answer used, and say what it cost."""
        if self._tokens:
            self._tokens.settle(used.prompt + used.completion - estimate)
        cost = self._prices.of(used) if self._prices else Decimal(0)
        self.spent += cost
        return cost
