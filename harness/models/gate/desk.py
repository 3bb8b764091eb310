"""Where every request is decided: from the tape, or from the provider with retries and limits, and onto the tape.

A request is named by its digest and its repeat. Two of the same name at once are one call upstream.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import HarnessError, InputError
from harness.models.gate.dialect import Question
from harness.models.gate.limits import Allowance, estimated
from harness.models.gate.retry import backoff
from harness.models.gate.roster import Account, Roster
from harness.models.gate.settings import Served, Settings
from harness.models.gate.shapes import Reply, Wrong, error, passed_on, sentence
from harness.models.gate.turns import Turns
from harness.models.gate.upstream import Failure, Upstream
from harness.models.tape.line import ready
from harness.models.tape.nearest import spelled
from harness.models.tape.tape import Recorder, Tape, Taped, request_digest

WRITERS = 16  # threads that tape; those that wait for the disk at once share a sync


@dataclass(frozen=True, slots=True)
class Call:
    """One request of a client, read and checked."""

    account: Account  # of the model
    question: Question
    body: Mapping[str, Any]  # without how the answer is to travel
    more: Mapping[str, Any]  # what else changes the answer: a path, headers; mostly nothing
    repeat: int | None = None
    again: bool = False  # the client says that it asks for the same once more, having got nothing


@dataclass(frozen=True, slots=True)
class _Named:
    call: Call
    digest: str
    repeat: int

    @property
    def served(self) -> Served:
        return self.call.account.served


class Desk:
    """Answers calls; everything that is paid for is on its tape before anybody sees it."""

    def __init__(self, settings: Settings, upstream: Upstream) -> None:
        self.settings, self._upstream = settings, upstream
        self.roster = Roster(settings)
        self._recorders = {path: Recorder(path) for path in self.roster.folders("record")}
        self._tapes = {path: Tape.open(path) for path in self.roster.folders("replay") - self._recorders.keys()}
        self._slots = asyncio.Semaphore(settings.concurrency)
        self._writers = ThreadPoolExecutor(WRITERS, "tape")
        self._flights: dict[tuple[Account, str, int], asyncio.Task[Reply]] = {}
        self._turns = Turns()
        self._shut: dict[Path, str] = {}  # tapes that took no more, and why

    async def answer(self, call: Call) -> Reply:
        """Answer a call; what is asked upstream is finished and taped even if the client goes away."""
        served, tally = call.account.served, call.account.tally
        tally.requests += 1
        digest = request_digest(served.provider, call.body, call.more)
        repeat = self._turns.take(digest, call.again) if call.repeat is None else call.repeat
        name = (call.account, digest, repeat)  # who measures and who is asked may say the same, for tapes of their own
        flight = self._flights.get(name)
        if flight is None:
            flight = asyncio.create_task(self._fly(_Named(call, digest, repeat)))
            self._flights[name] = flight
            flight.add_done_callback(lambda _: self._flights.pop(name, None))
        try:
            reply = await asyncio.shield(flight)
        except asyncio.CancelledError:
            if not flight.cancelled():
                raise
            reply = self._wrong(served, 503, "closing", "the gateway is being closed; what was answered is kept")
        if reply.fine:
            call.account.patience.answered()
        else:
            tally.refused += reply.refused
            tally.errors[reply.kind] += 1
            if call.repeat is None:
                self._turns.give_back(digest, repeat)
        return reply

    async def _fly(self, named: _Named) -> Reply:
        """Answer under one name, whatever goes wrong with the tape."""
        try:
            return await (self._ask(named) if named.served.mode == "live" else self._kept(named))
        except HarnessError as bad:
            status = 400 if isinstance(bad, InputError) else 500
            return self._wrong(named.served, status, bad.name.replace("-", "_"), sentence(bad))
        except RecursionError:
            return self._wrong(named.served, 400, "invalid_request_error", "the request is nested too deeply")

    async def _kept(self, named: _Named) -> Reply:
        """Answer from the tape; what is not there is asked only to be recorded."""
        served = named.served
        assert served.tape
        tape = self._recorders[served.tape] if served.tape in self._recorders else self._tapes[served.tape]
        if taped := tape.find(named.digest, named.repeat):
            named.call.account.tally.replayed += 1
            return Reply(taped.status, taped.response)
        if served.mode == "replay":
            return await self._missed(named)
        if served.tape in self._shut:
            return self._wrong(served, 500, "tape_shut", self._shut[served.tape])
        ready(
            served.provider, named.call.body, named.repeat, 200, b"{}", named.call.more
        )  # what cannot be taped is not asked
        reply = await self._ask(named)
        return await self._tape(named, reply) if reply.fine else reply

    async def _missed(self, named: _Named) -> Reply:
        """Say which taped request comes nearest, and where it differs."""
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
        return self._wrong(served, 404, "tape_miss", f"{message[:4000]}. Next: record it, or mend the request")

    async def _tape(self, named: _Named, reply: Reply) -> Reply:
        assert named.served.tape
        recorder, call = self._recorders[named.served.tape], named.call
        try:
            await asyncio.get_running_loop().run_in_executor(
                self._writers, recorder.add,
                named.served.provider, call.body, named.repeat, reply.status, reply.body, call.more,
            )  # fmt: skip
        except HarnessError as bad:
            if not isinstance(bad, InputError):
                self._shut[named.served.tape] = sentence(bad)  # nothing more is paid for that cannot be kept
            raise
        call.account.tally.recorded += 1
        return reply

    async def _ask(self, named: _Named) -> Reply:
        """Ask the provider, again where that may help, within the limits."""
        call, served = named.call, named.served
        tally, patience, allowance = call.account.tally, call.account.patience, call.account.allowance
        estimate = estimated(served.dialect.bounds, call.body) if served.limits.tokens_per_minute else 0
        for attempt in range(self.settings.retries + 1):
            await allowance.enter(estimate)
            try:
                async with self._slots:
                    if why := patience.end:
                        tally.gave_up = why
                        return self._wrong(served, 400, "refused", f"{call.account.model} {why}")
                    if allowance.broke:
                        return self._wrong(served, 402, "budget_spent", _broke(call.account.model, allowance))
                    headers = call.more.get("headers", {})
                    answer = await self._upstream.ask(served, call.question, call.body, headers)
            except Failure as bad:
                patience.refused(bad.status, bad.what)
                if not bad.again or attempt == self.settings.retries:
                    return self._failed(served, bad, attempt + 1)
                if bad.wait is not None and bad.status == 429:
                    allowance.close_for(bad.wait)
                tally.retries += 1
                await asyncio.sleep(self._pause(bad, attempt, named))
            else:
                allowance.paid(answer.used, estimate)
                tally.live += 1
                tally.add(answer.used, priced=answer.priced or served.prices is None)
                return Reply(200, answer.body)
        raise AssertionError("the last attempt returns")

    def _pause(self, bad: Failure, attempt: int, named: _Named) -> float:
        own = backoff(self.settings.backoff, attempt, named.digest, named.repeat)
        return own if bad.wait is None else bad.wait + own / 10  # those that were told the same do not come at once

    def _failed(self, served: Served, bad: Failure, attempts: int) -> Reply:
        if bad.again:
            status = 504 if bad.kind == "timeout" else 503
            message = f"no answer after {attempts} attempts; the last: {bad.kind}: {bad.what}. Next: run again later"
            return self._wrong(served, status, "retries_exhausted", message)
        if bad.status:
            return passed_on(served.dialect, bad.status, bad.kind, bad.body)
        status = {"missing_key": 401, "key_in_request": 400}.get(bad.kind, 502)
        return self._wrong(served, status, bad.kind, bad.what)

    def _wrong(self, served: Served, status: int, kind: str, message: str) -> Reply:
        return error(served.dialect, Wrong(status, kind, message))

    async def finish(self, seconds: float) -> None:
        """Wait for what is under way, for so long; then end it."""
        if self._flights:
            await asyncio.wait(self._flights.values(), timeout=seconds)
        for flight in list(self._flights.values()):
            flight.cancel()
        await asyncio.gather(*self._flights.values(), return_exceptions=True)

    def close(self) -> None:
        """Close the tapes; what was taped is durable without it."""
        self._writers.shutdown()
        for recorder in self._recorders.values():
            recorder.close()


def _broke(model: str, allowance: Allowance) -> str:
    spent = f"{allowance.spent.normalize():f}"
    return f"{spent} dollars are spent on {model}, and no more is allowed. Next: raise `dollars`, or run again later"


def _shown(near: Taped, pointer: str) -> str:
    """Show what the nearest request has at the first place of difference."""
    value = spelled({"provider": near.provider, "body": near.body}, pointer)
    return f"{value.decode()[:300]} there" if value else "nothing there"
