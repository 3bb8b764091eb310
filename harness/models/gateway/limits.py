"""Limits of the models that a gateway serves: rates, spending, refusals, and the account of each model.

An account holds a model's settings, counters, token buckets and circuit breaker. A model that the settings do not name
gets one at its first request, if a provider in `settings.others` serves the path of that request. Counters live in
memory; they never carry over to another gateway.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from harness.digest import canonical
from harness.models.gateway.settings import GateSettings, ServedModel, TokenUsage

FOR_GOOD = frozenset({400, 401, 403, 404, 422})  # HTTP statuses at which a retry of the same request is refused again


class CircuitBreaker:
    """A circuit breaker that opens after `most` final refusals before a model's first answer; 0: never.

    The first answer, from a tape too, disarms it for good, and closes it again if it was open.
    """

    def __init__(self, most: int) -> None:
        self._most, self._row, self._said = most, 0, ""

    def record_success(self) -> None:
        """Disarm the breaker for good: the model works, so that later refusals concern single requests."""
        self._most = 0

    def record_refusal(self, status: int, said: str) -> None:
        """Count a refusal if its HTTP status means that a retry is refused too (400, 401, 403, 404, 422).

        Any other status changes nothing. The first message that is not empty is kept.
        """
        if status in FOR_GOOD:
            self._row += 1
            self._said = self._said or said

    @property
    def open_reason(self) -> str:
        """The reason why calls to the model are stopped; empty while they are allowed."""
        if not self._most or self._row < self._most:
            return ""
        return f"refused all of the first {self._row} requests and answered none; it said: {self._said}"


@dataclass
class UsageCount:
    """Usage counters of one model, from 0 when its account is opened; they never limit anything."""

    requests: int = 0
    replayed: int = 0
    recorded: int = 0
    live: int = 0
    retries: int = 0
    prompt: int = 0  # tokens, of what was asked upstream
    completion: int = 0
    cached: int = 0  # of the prompts' tokens: what a provider had in its cache
    errors: Counter[str] = field(default_factory=Counter)
    refused: int = 0  # of the errors: what the provider was asked and would not answer
    gave_up: str = ""  # why no more was asked
    unpriced: int = 0  # answers of which tokens do not say the price, where prices are given

    def add(self, used: TokenUsage, *, priced: bool = True) -> None:
        """Add the tokens of an answer, and count it as unpriced where tokens are not all that it cost."""
        self.unpriced += not priced
        self.prompt += used.prompt
        self.completion += used.completion
        self.cached += used.read

    def as_data(self, spent: Decimal) -> dict[str, Any]:
        """Convert the counters, with the dollars spent, to plain data.

        `errors` counts the error replies to clients, by kind.
        """
        late = {"refused": self.refused, "gave_up": self.gave_up, "unpriced": self.unpriced}
        return {
            **{name: value for name, value in late.items() if value},
            "requests": self.requests,
            "replayed": self.replayed,
            "recorded": self.recorded,
            "live": self.live,
            "retries": self.retries,
            "errors": dict(sorted(self.errors.items())),
            "tokens": {
                "prompt": self.prompt,
                "completion": self.completion,
                **({"cached": self.cached} if self.cached else {}),
            },
            "dollars": f"{spent.normalize():f}",
        }


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


@dataclass(frozen=True, eq=False)
class Account:
    """The state of one model in this gateway: settings, counters, circuit breaker and rate limiter."""

    model: str
    served: ServedModel
    usage: UsageCount
    breaker: CircuitBreaker
    limiter: RateLimiter

    def as_data(self) -> dict[str, Any]:
        """Convert the counters and the dollars spent to plain data."""
        return self.usage.as_data(self.limiter.spent)


class Accounts:
    """The accounts of a gateway's models: settings, counters, circuit breaker and rate limiter of each.

    Every model that the settings name has one from the start. Any other gets one at its first request, but only where
    a provider in `settings.others` serves the path of that request.
    """

    def __init__(self, settings: GateSettings) -> None:
        self._settings = settings
        self.named = {name: self._open(name, served) for name, served in settings.models.items()}
        self._others: dict[tuple[str, str], Account] = {}

    def _open(self, name: str, served: ServedModel) -> Account:
        return Account(name, served, UsageCount(), CircuitBreaker(self._settings.refusals), RateLimiter(served))

    def find(self, name: object, path: str, own: str | None = None) -> Account | None:
        """Find the account of the model that a request names; None where it is not served at the request's path.

        `own` is the gateway's own name for the model, where the client sent one (header `x-harness-served`). A model
        that is not named gets its account opened here, if a provider in `settings.others` serves the path and no
        `own` was sent.
        """
        if not isinstance(name, str):
            return None
        account = self.named.get(name if own is None else own)
        if account:
            meant = account.served.model == ("" if own is None else name)
            return account if meant and path in account.served.dialect.endpoints else None
        if own is not None:
            return None
        for served in self._settings.others:
            if path in served.dialect.endpoints:
                return self._others.setdefault((served.provider, name), self._open(name, served))
        return None

    def models_at(self, path: str) -> dict[str, str]:
        """Map each model that the settings name and serve at a path to its provider.

        Models served under a name of the gateway's own are left out.
        """
        known = self._settings.models.items()
        return {name: told.provider for name, told in known if path in told.dialect.endpoints and not told.model}

    @property
    def providers(self) -> Mapping[str, str]:
        """Map every model to its provider: those the settings name, and those whose account was opened since.

        Models served under a name of the gateway's own are left out.
        """
        others = {name: provider for provider, name in self._others}
        return others | {name: told.provider for name, told in self._settings.models.items() if not told.model}

    def __iter__(self) -> Iterator[Account]:
        """Iterate over all accounts: the named models' first, then those opened since."""
        yield from (*self.named.values(), *self._others.values())

    def tape_folders(self, mode: str) -> set[Path]:
        """Collect the tape folders of all entries in the settings, `others` included, that have this mode."""
        return {served.tape for served in self._settings.served if served.mode == mode and served.tape}

    def summary(self) -> dict[str, Any]:
        """Summarise the counters and the dollars spent, model by model, as plain data.

        Under `models` stand the named ones; under `others`, where the settings allow any, those opened since.
        """
        summary: dict[str, Any] = {"models": {name: account.as_data() for name, account in self.named.items()}}
        if self._settings.others:
            summary["others"] = [
                {"provider": provider, "model": name, **account.as_data()}
                for (provider, name), account in sorted(self._others.items())
            ]
        return summary
