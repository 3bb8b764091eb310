"""Accounts of the models that a gateway serves: limits, refusals, outages, and who gave the answers.

An account holds a model's settings, counters, token buckets, circuit breakers and concurrency: how many of its requests
are under way at once, which grows while answers come as fast as before, and is halved when a provider is overloaded. A
model that the settings do not name gets an account at its first request, if a provider in `settings.others` serves the
path of that request. Counters are kept in memory and do not carry over to another gateway.

Answers are counted by the server, the served model and the fingerprint that gave them. A request is looked up under its
own server first, then under the address that the server had before (`same_as`), and at last as older tapes hold it,
which name no server; what the last two answer is counted apart. Nothing here asks a provider or writes a tape.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from harness.digest import canonical_json
from harness.models.gateway.settings import GateSettings, ServedModel, TokenUsage
from harness.models.tape.line import SERVED, SERVER, Taped, describe_responder, request_digest, server_address

MOST = 50  # names of a kind that are counted one by one
OTHERS = "others"


Find = Callable[[str], Taped | None]


def find_recorded(served: ServedModel, body: Mapping[str, Any], more: Mapping[str, Any], find: Find) -> Taped | None:
    """Return the recorded answer to a request, as `find` has it by the request's digest; None if there is none.

    A line of another server is never returned, unless `same_as` names this server's former address. A line that names
    no server is returned if there is no other. What was asked at the provider's own address stays the provider's own,
    wherever that address is now.
    """
    plain = {name: value for name, value in more.items() if name != SERVER}
    taped = find(request_digest(served.provider, body, more))
    if taped and (taped.server or not served.same_as):
        return taped
    if served.same_as:
        former = server_address(served.same_as)
        moved = find(request_digest(served.provider, body, {**plain, **served.part_of_request(former)}))
        if moved and moved.server == former:
            return moved
    if SERVER in more:
        taped = find(request_digest(served.provider, body, plain))
    return taped if taped and not taped.server else None


@dataclass
class AnsweredBy:
    """Counts of one model's answers by who gave them; each kind is left out while it is empty."""

    unnamed: int = 0  # replayed from lines that name no server, for a server that is not the provider's own
    moved: Counter[str] = field(default_factory=Counter)  # replayed from lines of the address that `same_as` names
    servers: Counter[str] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)
    fingerprints: Counter[str] = field(default_factory=Counter)

    def add_recorded(self, served: ServedModel, taped: Taped) -> None:
        """Count an answer from a tape."""
        if taped.server:
            self._add(taped.server, taped.responder)
            if served.same_as and taped.server == server_address(served.same_as):
                _count(self.moved, taped.server)
        else:
            self.unnamed += bool(served.own_part)

    def add_live(self, served: ServedModel, response: bytes) -> None:
        """Count an answer of the server."""
        self._add(served.address, describe_responder("", response))

    def _add(self, server: str, who: Mapping[str, str]) -> None:
        _count(self.servers, server)
        for name, counts in zip(SERVED, (self.models, self.fingerprints), strict=True):
            if name in who:
                _count(counts, who[name])

    def as_data(self) -> dict[str, Any]:
        """Return the counts that are not zero as plain data."""
        found: dict[str, Any] = {"unnamed": self.unnamed}
        for name in ("moved", "servers", "models", "fingerprints"):
            found[name] = dict(sorted(getattr(self, name).items()))
        return {name: value for name, value in found.items() if value}


def _count(counts: Counter[str], name: str) -> None:
    counts[name if name in counts or len(counts) < MOST else OTHERS] += 1


FIRST = 32  # requests at once before anything is known of a model
SLOWER = 2.0  # times the lowest smoothed latency: beyond it, more at once is no gain
SMOOTHED = 16  # answers over which a latency is smoothed


class ConcurrencyLimit:
    """A bound on the requests of one model under way at once; waiting requests are served first come, first served.

    It never exceeds `most`. While all of it is used and the smoothed latency is within a factor of the lowest so far,
    it grows: by 1 for each answer until something stopped that once, then by 1 for as many answers as it allows at
    once.
    """

    def __init__(self, most: int, first: int = FIRST) -> None:
        self.most, self.limit, self.running = most, float(min(first, most)), 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._latency, self._lowest, self._answers = 0.0, math.inf, 0
        self._quick = True  # whether it still grows with each answer
        self._shrunk = -math.inf  # when it was last halved
        self._open = False

    async def __aenter__(self) -> None:
        """Wait until a request may begin."""
        if not self._waiting and self._has_room():
            self.running += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it had its turn, which it passes on
                self._leave()
            raise

    async def __aexit__(self, *_: object) -> None:
        """Let the next request begin."""
        self._leave()

    def record_answer(self, seconds: float) -> None:
        """Note an answer and the seconds that it took; grow if answers are as fast as before."""
        self._answers += 1
        self._latency += (seconds - self._latency) / min(self._answers, SMOOTHED)
        if self._answers < SMOOTHED:
            return
        self._lowest = min(self._lowest, self._latency)
        if self._latency > SLOWER * self._lowest:
            self._quick = False
        elif self._waiting or self.running >= self.limit - 1:
            self.limit = min(self.most, self.limit + (1.0 if self._quick else 1.0 / self.limit))
            self._wake()

    def record_overload(self, began: float) -> None:
        """Halve the limit, once for all requests that were under way; `began` is when this one began."""
        if began >= self._shrunk:
            self.limit, self._shrunk, self._quick = max(1.0, self.limit / 2), time.monotonic(), False
            self._lowest, self._answers = math.inf, 0

    def let_all_pass(self) -> None:
        """Let every waiting request begin, and every later one: none of them will be sent."""
        self._open = True
        self._wake()

    def _has_room(self) -> bool:
        return self._open or self.running < int(self.limit)

    def _leave(self) -> None:
        self.running -= 1
        self._wake()

    def _wake(self) -> None:
        while self._waiting and self._has_room():
            turn = self._waiting.popleft()
            if not turn.done():
                self.running += 1
                turn.set_result(None)


CONNECTION, AUTHORISATION, UNANSWERED = "connection", "authorisation", "unanswered"  # causes of an outage
FOR_GOOD = frozenset({400, 401, 403, 404, 422})  # HTTP statuses after which a retry is refused too


class CircuitBreaker:
    """A circuit breaker that opens after `most` final refusals before a model's first answer; 0: never.

    The first answer, also one from a tape, disarms the breaker permanently, and closes it if it was open.
    """

    def __init__(self, most: int) -> None:
        self._most, self._row, self._said = most, 0, ""

    def record_success(self) -> None:
        """Disarm the breaker permanently: the model works, so later refusals concern single requests."""
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


UNAUTHORISED = frozenset({401, 403})
OVERLOADED = frozenset({429, 503, 529})  # HTTP statuses of a provider that is asked too much at once
UNREACHED = frozenset({"connection", "protocol"})  # kinds of failed attempts that reached nobody
HUNG_UP = "hung_up"  # a connection that ended without an answer
UNKNOWN = frozenset({"timeout", "cut", "missing_key", "key_in_request"})  # kinds that say neither: it is there, or not


class OutageBreaker:
    """A circuit breaker that opens when a provider cannot be reached, accepts no key or never gives an answer.

    It opens after `most` failures in a row, or when a row of two or more has lasted `seconds`; `most` 0: never. Every
    reply of the provider that is no such failure ends a row, also an error. A provider that is there and replies to
    every request with an error after which a retry may succeed (429, 503, no JSON) is given `patience` seconds; only
    an answer or a final refusal ends such a row. Answers from a tape do not count.
    """

    def __init__(self, url: str, most: int, seconds: float, patience: float) -> None:
        self.opened = asyncio.Event()
        self.cause = ""  # connection | authorisation | unanswered, once it is open
        self.open_reason = ""  # why calls to the model are stopped; empty while they are allowed
        self._url, self._most, self._seconds, self._patience = url, most, seconds, patience
        self._row, self._first, self._last = 0, 0.0, 0.0
        self._unanswered, self._since = 0, 0.0  # replies in a row that were no answers, and when the first came

    def record_answer(self) -> None:
        """Note an answer or a refusal of the provider: it can be reached, so its failures are counted from 0 again."""
        self._row = self._unanswered = 0

    def record_unanswered(self, said: str) -> None:
        """Count a reply that is no answer, though a retry may get one; the provider is there, which ends other rows."""
        now = time.monotonic()
        self._row = 0
        self._since = self._since if self._unanswered else now
        self._unanswered += 1
        if self._most and not self.open_reason and self._unanswered > 1 and now - self._since >= self._patience:
            tries = f"{self._unanswered} replies in a row within {now - self._since:.0f} s were no answers"
            self._open(UNANSWERED, f"gives no answer at {self._url}: {tries}; the last: {said}")

    def record_failure(self, cause: str, said: str, began: float | None = None) -> None:
        """Count a failure with the last words of the provider or the operating system.

        With `began`, when the attempt began, connections that ended together count once: a server that restarts, or
        that closes idle connections, ends many at a time.
        """
        now = time.monotonic()
        if self.open_reason or not self._most or (self._row and began is not None and began < self._last):
            return
        self._first = self._first if self._row else now
        self._row, self._last = self._row + 1, now
        if self._row >= self._most or (self._row > 1 and now - self._first >= self._seconds):
            what = "accepts no key" if cause == AUTHORISATION else "cannot be reached"
            tries = f"{self._row} requests in a row failed within {now - self._first:.1f} s"
            self._open(cause, f"{what} at {self._url}: {tries}; the last: {said}")

    def _open(self, cause: str, reason: str) -> None:
        self.cause, self.open_reason = cause, reason
        self.opened.set()

    async def pause(self, seconds: float) -> None:
        """Sleep, but not longer than until the breaker opens."""
        if seconds > 0:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.opened.wait(), seconds)


@dataclass
class UsageCount:
    """Usage counters of one model, which start at 0 when its account is opened; they do not limit anything."""

    requests: int = 0
    replayed: int = 0
    recorded: int = 0
    live: int = 0
    retries: int = 0
    prompt: int = 0  # tokens of the requests sent upstream
    completion: int = 0
    cached: int = 0  # prompt tokens that a provider had in its cache
    errors: Counter[str] = field(default_factory=Counter)
    refused: int = 0  # errors in which the provider refused a request
    gave_up: str = ""  # why no more requests were sent
    outage: str = ""  # the cause, if the provider could not be reached, accepted no key or gave no answer
    unpriced: int = 0  # answers whose price does not follow from their tokens, if prices are given
    by: AnsweredBy = field(default_factory=AnsweredBy)

    def add(self, used: TokenUsage, *, priced: bool = True) -> None:
        """Add the tokens of an answer; it counts as unpriced if it cost more than its tokens."""
        self.unpriced += not priced
        self.prompt += used.prompt
        self.completion += used.completion
        self.cached += used.read

    def as_data(self, spent: Decimal) -> dict[str, Any]:
        """Return the counters and the dollars spent as plain data.

        `errors` counts the error replies to clients, by kind.
        """
        late = {"refused": self.refused, "gave_up": self.gave_up, "outage": self.outage, "unpriced": self.unpriced}
        return {
            **{name: value for name, value in late.items() if value},
            **self.by.as_data(),
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


IMAGE = 1600  # approximate tokens of an image, whose bytes do not tell the number
_IMAGE = re.compile(rb'"(?:data:image/[a-z]+;base64,)?[A-Za-z0-9+/]{1000,}={0,2}"')


def estimate_tokens(bounds: Sequence[str], body: Mapping[str, Any]) -> int:
    """Return an estimate of a request's tokens: a quarter of its bytes, 1,600 for each image, and its longest answer.

    The longest answer is the first of the fields `bounds` that the body has; without one it counts as 0.
    """
    most = next((body[name] for name in bounds if name in body), 0)
    words, images = _IMAGE.subn(b"", canonical_json(body))
    return len(words) // 4 + images * IMAGE + (most if isinstance(most, int) and 0 < most < 1 << 32 else 0)


class TokenBucket:
    """A token bucket, which fills at a rate per minute up to `burst`.

    Each `take` lowers the level, also below zero; an amount below zero has to be waited for, first come first served.
    """

    def __init__(self, per_minute: int, burst: float) -> None:
        self.rate = per_minute / 60
        self.room = self.level = max(1.0, burst)
        self._then = time.monotonic()

    def take(self, amount: float) -> float:
        """Take an amount and return the seconds to wait before it may be used."""
        now = time.monotonic()
        self.level = min(self.room, self.level + (now - self._then) * self.rate)
        self._then = now
        self.level -= min(amount, self.room)  # an amount larger than the bucket could never pass
        return max(0.0, -self.level / self.rate)

    def settle(self, difference: float) -> None:
        """Correct the bucket's level by the difference between the used and the estimated amount of a request.

        A server says what was used: whatever it says, its answer makes later requests wait for a minute at most.
        """
        self.level = min(self.room, self.level - min(difference, self.room))


class RateLimiter:
    """The rate limits and the spending limit of one model; it counts only during the life of this gateway."""

    def __init__(self, served: ServedModel) -> None:
        limits = served.limits
        a_minute, tokens = limits.requests_per_minute, limits.tokens_per_minute
        self._requests = TokenBucket(a_minute, a_minute / 60) if a_minute else None
        self._tokens = TokenBucket(tokens, tokens) if tokens else None
        self._prices, self._dollars = served.prices, limits.dollars
        self._closed_until = 0.0
        self.spent = Decimal(0)

    @property
    def exhausted(self) -> bool:
        """Whether the spending limit is reached; the last answer may exceed it, since its price is only known later."""
        return self._dollars is not None and self.spent >= self._dollars

    def admit(self, estimate: int) -> float:
        """Count a request of about `estimate` tokens, and return the seconds to wait before it may be sent.

        The spending limit is not checked.
        """
        return max(
            self._requests.take(1) if self._requests else 0.0,
            self._tokens.take(estimate) if self._tokens else 0.0,
            self._closed_until - time.monotonic(),
        )

    def hold_back(self, seconds: float) -> None:
        """Delay all later requests to the model by the seconds that the provider asked one of them to wait."""
        self._closed_until = max(self._closed_until, time.monotonic() + seconds)

    def charge(self, used: TokenUsage, estimate: int) -> Decimal:
        """Count the tokens and the price of an answer, and return the price in dollars; 0 if no prices are set."""
        if self._tokens:
            self._tokens.settle(used.prompt + used.completion - estimate)
        cost = self._prices.of(used) if self._prices else Decimal(0)
        self.spent += cost
        return cost


@dataclass(frozen=True, eq=False)
class Account:
    """The state of one model in this gateway: settings, counters, circuit breakers, rates and concurrency."""

    model: str
    served: ServedModel
    usage: UsageCount
    breaker: CircuitBreaker
    outage: OutageBreaker
    limiter: RateLimiter
    slots: ConcurrencyLimit

    def stop_reason(self) -> str:
        """Return why the model is asked no more, and note that a request was stopped; empty while it is asked."""
        why = self.outage.open_reason or self.breaker.open_reason
        if why:
            self.usage.gave_up, self.usage.outage = why, self.outage.cause
        return why

    def record_answer(self, seconds: float) -> None:
        """Note an answer of the provider, and how long it took."""
        self.outage.record_answer()
        self.slots.record_answer(seconds)

    def record_failure(self, kind: str, said: str, status: int, began: float, *, again: bool) -> None:
        """Note a failed attempt, which may open a breaker or lower the concurrency; `began` is when it began.

        `again` says that a retry may succeed.
        """
        self.breaker.record_refusal(status, said)
        if status in UNAUTHORISED:
            self.outage.record_failure(AUTHORISATION, said)
        elif kind in UNREACHED:
            self.outage.record_failure(CONNECTION, said)
        elif kind == HUNG_UP:
            self.outage.record_failure(CONNECTION, said, began)
        elif kind not in UNKNOWN and again:
            self.outage.record_unanswered(said)
        elif kind not in UNKNOWN:
            self.outage.record_answer()
        if status in OVERLOADED or kind == "timeout":
            self.slots.record_overload(began)
        if self.outage.open_reason:
            self.slots.let_all_pass()

    def as_data(self) -> dict[str, Any]:
        """Return the counters and the dollars spent as plain data."""
        return self.usage.as_data(self.limiter.spent)


class Accounts:
    """The accounts of a gateway's models: settings, counters, circuit breakers, rates and concurrency of each.

    Every model that the settings name has an account from the start. Any other model gets one at its first request, if
    a provider in `settings.others` serves the path of that request.
    """

    def __init__(self, settings: GateSettings) -> None:
        self._settings = settings
        self.named = {name: self._open(name, served) for name, served in settings.models.items()}
        self._others: dict[tuple[str, str], Account] = {}

    def _open(self, name: str, served: ServedModel) -> Account:
        settings, most = self._settings, served.limits.concurrency
        outage = OutageBreaker(served.base_url, settings.failures, settings.outage, settings.patience)
        slots = ConcurrencyLimit(most, most) if most else ConcurrencyLimit(settings.concurrency)
        breaker = CircuitBreaker(settings.refusals)
        return Account(name, served, UsageCount(), breaker, outage, RateLimiter(served), slots)

    def find(self, name: object, path: str, own: str | None = None) -> Account | None:
        """Return the account of the model that a request names; None if the model is not served at the request's path.

        `own` is the gateway's own name for the model, if the client sent one (header `x-harness-served`). The account
        of a model that is not named is opened here, if a provider in `settings.others` serves the path and no `own` was
        sent.
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
        """Return the provider of each model that the settings name and serve at a path.

        Models served under a name of the gateway's own are left out.
        """
        known = self._settings.models.items()
        return {name: told.provider for name, told in known if path in told.dialect.endpoints and not told.model}

    @property
    def providers(self) -> Mapping[str, str]:
        """The provider of every model: those that the settings name, and those whose account was opened since.

        Models served under a name of the gateway's own are left out.
        """
        others = {name: provider for provider, name in self._others}
        return others | {name: told.provider for name, told in self._settings.models.items() if not told.model}

    def __iter__(self) -> Iterator[Account]:
        """Iterate over all accounts: those of the named models first, then those opened since."""
        yield from (*self.named.values(), *self._others.values())

    def tape_folders(self, mode: str) -> set[Path]:
        """Return the tape folders of all entries in the settings with this mode, including `others`."""
        return {served.tape for served in self._settings.served if served.mode == mode and served.tape}

    def summary(self) -> dict[str, Any]:
        """Return the counters and the dollars spent, by model, as plain data.

        `models` has the named models. `others` has those opened since, if the settings allow any.
        """
        summary: dict[str, Any] = {"models": {name: account.as_data() for name, account in self.named.items()}}
        if self._settings.others:
            summary["others"] = [
                {"provider": provider, "model": name, **account.as_data()}
                for (provider, name), account in sorted(self._others.items())
            ]
        return summary
