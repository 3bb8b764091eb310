"""Request dispatch: each request is answered from the tape or by the provider, as its model's mode says.

Mode `replay` asks the tape alone, `live` the provider alone; `record` asks the provider for what is not on the tape,
and records its answer. Providers are called within limits and with retries. A request is identified by its account,
digest and repeat. Two equal ones at the same time make one call upstream. It never reads HTTP or a key.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import HarnessError, InputError
from harness.models.gateway.dialect import Endpoint
from harness.models.gateway.limits import Account, Accounts, RateLimiter, estimate_tokens
from harness.models.gateway.settings import GateSettings, ServedModel
from harness.models.gateway.upstream import (
    FailedAttempt,
    GatewayError,
    Reply,
    Upstream,
    backoff,
    error_reply,
    one_line,
    refusal_reply,
)
from harness.models.tape.line import prepare
from harness.models.tape.tape import Recorder, Tape, Taped, request_digest, value_at


class RepeatCounter:
    """A repeat counter for each request digest; a number that got no answer is given to the next equal request."""

    def __init__(self) -> None:
        self._next: dict[str, int] = {}
        self._free: dict[str, set[int]] = {}

    def take(self, digest: str, again: bool) -> int:
        """Take a repeat number for a request: the lowest one given back, else the next.

        A client that retries (`again`) gets the last number taken, unless that was given back.
        """
        taken, free = self._next.get(digest, 0), self._free.get(digest)
        if again and taken and not (free and taken - 1 in free):
            return taken - 1
        if free:
            repeat = min(free)
            free.remove(repeat)
            if not free:
                del self._free[digest]
            return repeat
        self._next[digest] = taken + 1
        return taken

    def give_back(self, digest: str, repeat: int) -> None:
        """Take back a repeat number that got no answer; the next equal request takes it."""
        self._free.setdefault(digest, set()).add(repeat)


WRITERS = 16  # threads that write tapes; those that wait for the disk at once share a sync


@dataclass(frozen=True, slots=True)
class Call:
    """A client's request, parsed and checked, not yet answered."""

    account: Account  # of the model
    endpoint: Endpoint
    body: Mapping[str, Any]  # without the fields that only say how the answer is sent
    more: Mapping[str, Any]  # what else changes the answer: a path, headers; mostly nothing
    repeat: int | None = None
    again: bool = False  # the client retries the same request, having got no answer


@dataclass(frozen=True, slots=True)
class _Named:
    call: Call
    digest: str
    repeat: int

    @property
    def served(self) -> ServedModel:
        return self.call.account.served


class Dispatcher:
    """The dispatcher of calls; in mode `record`, an answer is on its tape before any client gets it.

    It never reads a key.
    """

    def __init__(self, settings: GateSettings, upstream: Upstream) -> None:
        self.settings, self._upstream = settings, upstream
        self.accounts = Accounts(settings)
        self._recorders = {path: Recorder(path) for path in self.accounts.tape_folders("record")}
        self._tapes = {path: Tape.open(path) for path in self.accounts.tape_folders("replay") - self._recorders.keys()}
        self._upstream_slots = asyncio.Semaphore(settings.concurrency)
        self._writers = ThreadPoolExecutor(WRITERS, "tape")
        self._running: dict[tuple[Account, str, int], asyncio.Task[Reply]] = {}
        self._repeats = RepeatCounter()
        self._closed_tapes: dict[Path, str] = {}  # tapes that can no longer be written, and why

    async def answer(self, call: Call) -> Reply:
        """Answer a call with a reply: the model's answer, or an error in the format of the provider's clients.

        A call upstream is completed, and in mode `record` recorded, even if the client disconnects.
        """
        served, usage = call.account.served, call.account.usage
        usage.requests += 1
        digest = request_digest(served.provider, call.body, call.more)
        repeat = self._repeats.take(digest, call.again) if call.repeat is None else call.repeat
        name = (call.account, digest, repeat)  # an instrument and a model may send equal requests
        task = self._running.get(name)
        if task is None:
            task = asyncio.create_task(self._resolve(_Named(call, digest, repeat)))
            self._running[name] = task
            task.add_done_callback(lambda _: self._running.pop(name, None))
        try:
            reply = await asyncio.shield(task)
        except asyncio.CancelledError:
            if not task.cancelled():
                raise
            reply = self._wrong(served, 503, "closing", "the gateway is being closed; what was answered is kept")
        if reply.fine:
            call.account.breaker.record_success()
        else:
            usage.refused += reply.refused
            usage.errors[reply.kind] += 1
            if call.repeat is None:
                self._repeats.give_back(digest, repeat)
        return reply

    async def _resolve(self, named: _Named) -> Reply:
        """Answer an identified request; every error of the tape becomes an error reply."""
        try:
            return await (self._ask(named) if named.served.mode == "live" else self._kept(named))
        except HarnessError as bad:
            status = 400 if isinstance(bad, InputError) else 500
            return self._wrong(named.served, status, bad.name.replace("-", "_"), one_line(bad))
        except RecursionError:
            return self._wrong(named.served, 400, "invalid_request_error", "the request is nested too deeply")

    async def _kept(self, named: _Named) -> Reply:
        """Answer from the tape; a missing answer is requested in mode `record` only."""
        served = named.served
        assert served.tape
        tape = self._recorders[served.tape] if served.tape in self._recorders else self._tapes[served.tape]
        if taped := tape.find(named.digest, named.repeat):
            named.call.account.usage.replayed += 1
            return Reply(taped.status, taped.response)
        if served.mode == "replay":
            return await self._missed(named)
        if served.tape in self._closed_tapes:
            return self._wrong(served, 500, "tape_shut", self._closed_tapes[served.tape])
        prepare(
            served.provider, named.call.body, named.repeat, 200, b"{}", named.call.more
        )  # what cannot be taped is not asked
        reply = await self._ask(named)
        return await self._tape(named, reply) if reply.fine else reply

    async def _missed(self, named: _Named) -> Reply:
        """Make the error for a request that is not on the tape: it names the nearest one and the fields that differ."""
        served = named.served
        assert served.tape
        tape = self._tapes[served.tape] if served.tape in self._tapes else Tape.open(served.tape)  # one being recorded
        loop = asyncio.get_running_loop()
        call = named.call
        near = await loop.run_in_executor(self._writers, tape.nearest, served.provider, call.body, call.more)
        taped, fields = near or (None, [])
        message = f"request {named.digest[:12]}, repeat {named.repeat}, of {call.account.model} is not on the tape"
        if taped is None:
            message += ", which is empty"
        elif taped.redacted and not fields:
            message += "; it stands there redacted, and an answer that was changed is given to nobody"
        elif fields:
            message += f"; the nearest taped request differs in {', '.join(fields[:20])}: {_shown(taped, fields[0])}"
        else:
            message += f"; it is there with repeat {taped.repeat}"
        return self._wrong(served, 404, "tape_miss", f"{message[:4000]}. Next: record it, or correct the request")

    async def _tape(self, named: _Named, reply: Reply) -> Reply:
        assert named.served.tape
        recorder, call = self._recorders[named.served.tape], named.call
        try:
            await asyncio.get_running_loop().run_in_executor(
                self._writers,
                recorder.add,
                named.served.provider,
                call.body,
                named.repeat,
                reply.status,
                reply.body,
                call.more,
            )
        except HarnessError as bad:
            if not isinstance(bad, InputError):
                self._closed_tapes[named.served.tape] = one_line(bad)  # nothing more is paid for that cannot be kept
            raise
        call.account.usage.recorded += 1
        return reply

    async def _ask(self, named: _Named) -> Reply:
        """Call the provider within the limits, with retries of transient failures."""
        call, served = named.call, named.served
        usage, breaker, limiter = call.account.usage, call.account.breaker, call.account.limiter
        estimate = estimate_tokens(served.dialect.bounds, call.body) if served.limits.tokens_per_minute else 0
        for attempt in range(self.settings.retries + 1):
            await limiter.admit(estimate)
            try:
                async with self._upstream_slots:
                    if why := breaker.open_reason:
                        usage.gave_up = why
                        return self._wrong(served, 400, "refused", f"{call.account.model} {why}")
                    if limiter.exhausted:
                        return self._wrong(served, 402, "budget_spent", _budget_spent(call.account.model, limiter))
                    headers = call.more.get("headers", {})
                    answer = await self._upstream.call(served, call.endpoint, call.body, headers)
            except FailedAttempt as bad:
                breaker.record_refusal(bad.status, bad.what)
                if not bad.again or attempt == self.settings.retries:
                    return self._failed(served, bad, attempt + 1)
                if bad.wait is not None and bad.status == 429:
                    limiter.hold_back(bad.wait)
                usage.retries += 1
                await asyncio.sleep(self._pause(bad, attempt, named))
            else:
                limiter.charge(answer.used, estimate)
                usage.live += 1
                usage.add(answer.used, priced=answer.priced or served.prices is None)
                return Reply(200, answer.body)
        raise AssertionError("the last attempt returns")

    def _pause(self, bad: FailedAttempt, attempt: int, named: _Named) -> float:
        own = backoff(self.settings.backoff, attempt, named.digest, named.repeat)
        return own if bad.wait is None else bad.wait + own / 10  # equal Retry-After, yet not back at once

    def _failed(self, served: ServedModel, bad: FailedAttempt, attempts: int) -> Reply:
        if bad.again:
            status = 504 if bad.kind == "timeout" else 503
            message = f"no answer after {attempts} attempts; the last: {bad.kind}: {bad.what}. Next: run again later"
            return self._wrong(served, status, "retries_exhausted", message)
        if bad.status:
            return refusal_reply(served.dialect, bad.status, bad.kind, bad.body)
        status = {"missing_key": 401, "key_in_request": 400}.get(bad.kind, 502)
        return self._wrong(served, status, bad.kind, bad.what)

    def _wrong(self, served: ServedModel, status: int, kind: str, message: str) -> Reply:
        return error_reply(served.dialect, GatewayError(status, kind, message))

    async def finish(self, seconds: float) -> None:
        """Wait at most so many seconds for running requests, then cancel those that remain."""
        if self._running:
            await asyncio.wait(self._running.values(), timeout=seconds)
        for task in list(self._running.values()):
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)

    def close(self) -> None:
        """Close the tapes being recorded; every recorded answer is durable already."""
        self._writers.shutdown()
        for recorder in self._recorders.values():
            recorder.close()


def _budget_spent(model: str, limiter: RateLimiter) -> str:
    spent = f"{limiter.spent.normalize():f}"
    return f"{spent} dollars are spent on {model}, and no more is allowed. Next: raise `dollars`, or run again later"


def _shown(near: Taped, pointer: str) -> str:
    """Quote the value of the nearest request at the first field that differs."""
    value = value_at({"provider": near.provider, "body": near.body}, pointer)
    return f"{value.decode()[:300]} there" if value else "nothing there"
