"""Request dispatch: each request is answered from the tape or by the provider, depending on its model's mode.

Mode `replay` uses the tape alone, `live` the provider alone. `record` asks the provider for an answer that is not on
the tape, and records it. Providers are called within limits and with retries. A request is identified by its account,
digest and repeat. Two equal requests at the same time make one call upstream.
"""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.errors import HarnessError, InputError
from harness.models.gateway.answered_by import find_recorded
from harness.models.gateway.dialect import Endpoint
from harness.models.gateway.limits import Account, Accounts, RateLimiter, estimate_tokens
from harness.models.gateway.settings import GateSettings, ServedModel
from harness.models.gateway.upstream import (
    FailedAttempt,
    GatewayError,
    Reply,
    Upstream,
    backoff_seconds,
    error_reply,
    one_line,
    refusal_reply,
)
from harness.models.tape.line import SERVER, prepare_exchange
from harness.models.tape.tape import Recorder, Tape, Taped, request_digest, value_at
from harness.models.wire import ERROR_HEADER


class RepeatCounter:
    """A repeat counter for each request digest; a number that got no answer is reused for the next equal request."""

    def __init__(self) -> None:
        self._next: dict[str, int] = {}
        self._free: dict[str, set[int]] = {}

    def take(self, digest: str, again: bool) -> int:
        """Return a repeat number for a request: the lowest one given back, else the next.

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
        """Return a repeat number that got no answer to the counter; the next equal request takes it."""
        self._free.setdefault(digest, set()).add(repeat)


HERE = Path(__file__).parent
WRITERS = 16  # threads that write tapes; threads that wait for the disk at the same time share a sync


@dataclass(frozen=True, slots=True)
class Call:
    """A client's request, parsed and checked, not yet answered."""

    account: Account  # of the model
    endpoint: Endpoint
    body: Mapping[str, Any]  # without the fields that only affect how the answer is sent
    more: Mapping[str, Any]  # other things that change the answer: a path, headers; mostly empty
    repeat: int | None = None
    again: bool = False  # the client retries a request that got no answer


@dataclass(frozen=True, slots=True)
class _Named:
    call: Call
    digest: str
    repeat: int

    @property
    def served(self) -> ServedModel:
        return self.call.account.served


class Dispatcher:
    """The dispatcher of calls; in mode `record`, an answer is on its tape before any client gets it."""

    def __init__(self, settings: GateSettings, upstream: Upstream) -> None:
        self.settings, self._upstream = settings, upstream
        self.accounts = Accounts(settings)
        self._recorders = {path: Recorder(path) for path in self.accounts.tape_folders("record")}
        self._tapes = {path: Tape.open(path) for path in self.accounts.tape_folders("replay") - self._recorders.keys()}
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
        """Answer an identified request; an error of the tape becomes an error reply."""
        try:
            return await (self._ask(named) if named.served.mode == "live" else self._kept(named))
        except HarnessError as bad:
            status = 400 if isinstance(bad, InputError) else 500
            return self._wrong(named.served, status, bad.name.replace("-", "_"), one_line(bad))
        except RecursionError:
            return self._wrong(named.served, 400, "invalid_request_error", "the request is nested too deeply")
        except Exception as bad:  # a defect, or what a library did not translate; a client gets an error that it reads
            reply = self._wrong(named.served, 500, "defect", _defect(bad, named.call))
            return replace(reply, headers={**reply.headers, ERROR_HEADER: "busy"})  # the next run asks it again

    async def _kept(self, named: _Named) -> Reply:
        """Answer from the tape; a missing answer is requested only in mode `record`."""
        served = named.served
        assert served.tape
        tape = self._recorders[served.tape] if served.tape in self._recorders else self._tapes[served.tape]
        call = named.call
        if taped := find_recorded(served, call.body, call.more, lambda digest: tape.find(digest, named.repeat)):
            call.account.usage.replayed += 1
            call.account.usage.by.add_recorded(served, taped)
            return Reply(taped.status, taped.response)
        if served.mode == "replay":
            return await self._missed(named)
        if served.tape in self._closed_tapes:
            return self._wrong(served, 500, "tape_shut", self._closed_tapes[served.tape])
        prepare_exchange(
            served.provider, call.body, named.repeat, 200, b"{}", call.more
        )  # raises before the call if the request cannot be taped
        reply = await self._ask(named)
        return await self._tape(named, reply) if reply.fine else reply

    async def _missed(self, named: _Named) -> Reply:
        """Return the error for a request that is not on the tape; it names the nearest one and what differs."""
        served = named.served
        assert served.tape
        tape = self._tapes[served.tape] if served.tape in self._tapes else Tape.open(served.tape)  # one being recorded
        loop = asyncio.get_running_loop()
        call = named.call
        near = await loop.run_in_executor(self._writers, tape.nearest, served.provider, call.body, call.more)
        taped, fields = near or (None, [])
        message = f"request {named.digest[:12]}, repeat {named.repeat}, of {call.account.model} is not on the tape"
        mend = "record it, or correct the request"
        if taped is None:
            message += ", which is empty"
        elif taped.redacted and not fields:
            message += "; it stands there redacted, and an answer that was changed is given to nobody"
        elif fields == [f"/{SERVER}"]:
            message += f"; it was asked of another server, {taped.server or 'which the line does not name'}"
            mend = "record it, or name that server: `same_as` of a model, `--upstream` of `harness gateway`"
        elif fields:
            message += f"; the nearest taped request differs in {', '.join(fields[:20])}: {_shown(taped, fields[0])}"
        else:
            message += f"; it is there with repeat {taped.repeat}"
        return self._wrong(served, 404, "tape_miss", f"{message[:4000]}. Next: {mend}")

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
                "" if SERVER in call.more else named.served.address,
            )
        except HarnessError as bad:
            if not isinstance(bad, InputError):
                self._closed_tapes[named.served.tape] = one_line(bad)  # pay for no answer that cannot be stored
            raise
        call.account.usage.recorded += 1
        return reply

    async def _ask(self, named: _Named) -> Reply:
        """Call the provider within the limits, with retries of transient failures."""
        call, served, account = named.call, named.served, named.call.account
        usage, limiter = account.usage, account.limiter
        estimate = estimate_tokens(served.dialect.bounds, call.body) if served.limits.tokens_per_minute else 0
        retries = self.settings.retries if served.limits.retries is None else served.limits.retries
        for attempt in range(retries + 1):
            await account.outage.pause(limiter.admit(estimate))
            try:
                async with account.slots:
                    if why := account.stop_reason():
                        return self._wrong(served, 400, "refused", f"{account.model} {why}")
                    if limiter.exhausted:
                        return self._wrong(served, 402, "budget_spent", _budget_spent(account.model, limiter))
                    began, headers = time.monotonic(), call.more.get("headers", {})
                    answer = await self._upstream.call(served, call.endpoint, call.body, headers)
            except FailedAttempt as bad:
                account.record_failure(bad.kind, bad.what, bad.status, began, again=bad.again)
                if not bad.again or attempt == retries:
                    return self._failed(served, bad, attempt + 1)
                if bad.wait is not None and bad.status == 429:
                    limiter.hold_back(bad.wait)
                usage.retries += 1
                await account.outage.pause(self._pause(bad, attempt, named))
            else:
                account.record_answer(time.monotonic() - began)
                limiter.charge(answer.used, estimate)
                usage.live += 1
                usage.by.add_live(served, answer.body)
                usage.add(answer.used, priced=answer.priced or served.prices is None)
                return Reply(200, answer.body)
        raise AssertionError("the last attempt returns")

    def _pause(self, bad: FailedAttempt, attempt: int, named: _Named) -> float:
        own = backoff_seconds(self.settings.backoff, attempt, named.digest, named.repeat)
        return own if bad.wait is None else bad.wait + own / 10  # equal Retry-After, yet not back at once

    def _failed(self, served: ServedModel, bad: FailedAttempt, attempts: int) -> Reply:
        if bad.again:
            status = 504 if bad.kind == "timeout" else 503
            tried = f"{attempts} attempt{'s' * (attempts != 1)}"
            do = "start the server, or correct its address" if bad.kind == "connection" else "run again later"
            message = f"no answer after {tried}; the last: {bad.kind}: {bad.what}. Next: {do}"
            return self._wrong(served, status, "retries_exhausted", message)
        if bad.status:
            return refusal_reply(served.dialect, bad.status, bad.kind, bad.body)
        status = {"missing_key": 401, "key_in_request": 400}.get(bad.kind, 502)
        return self._wrong(served, status, bad.kind, bad.what)

    def _wrong(self, served: ServedModel, status: int, kind: str, message: str) -> Reply:
        return error_reply(served.dialect, GatewayError(status, kind, message))

    async def finish(self, seconds: float) -> None:
        """Wait at most `seconds` for the requests that are under way, then cancel those that remain."""
        if self._running:
            await asyncio.wait(self._running.values(), timeout=seconds)
        for task in list(self._running.values()):
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)

    def close(self) -> None:
        """Close the tapes being recorded; every recorded answer is already durable."""
        self._writers.shutdown()
        for recorder in self._recorders.values():
            recorder.close()


def _defect(bad: Exception, call: Call) -> str:
    """Return what an unexpected exception is and where it was raised, without its words: they may hold a key."""
    frames = [frame for frame in traceback.extract_tb(bad.__traceback__) if Path(frame.filename).parent == HERE]
    place = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    what = f"{type(bad).__module__}.{type(bad).__qualname__}".removeprefix("builtins.")
    message = f"the gateway failed while it answered a request to {call.account.model}: {what}{place}"
    return f"{message}. Next: check the model's `base_url`; if it is right, report this as a defect of the harness"


def _budget_spent(model: str, limiter: RateLimiter) -> str:
    spent = f"{limiter.spent.normalize():f}"
    return f"{spent} dollars are spent on {model}, and no more is allowed. Next: raise `dollars`, or run again later"


def _shown(near: Taped, pointer: str) -> str:
    """Return the value of the nearest request at the first field that differs, for an error."""
    value = value_at({"provider": near.provider, "body": near.body, **near.more}, pointer)
    return f"{value.decode()[:300]} there" if value else "nothing there"
