"""The inference step that remote providers share: it calls the gateway and writes one response per prompt and sample.

It reaches nothing but the gateway's Unix socket and holds no key. It never knows a tape, a price or a benchmark.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from harness import rows
from harness.digest import canonical
from harness.errors import MissingError, StepError
from harness.models.completion import Completion
from harness.models.wire import (
    ERROR_HEADER,
    LONGEST_WORDS,
    REPEAT_HEADER,
    SERVED_HEADER,
    ParsedAnswer,
    WireFormat,
    escape_unprintable,
    parse_refusal,
    replace_surrogates,
)
from harness.rowtypes import Prompt

SOCKET = "HARNESS_GATEWAY"  # the variable that names the gateway's socket
AGAIN = frozenset({"retries_exhausted", "busy"})  # gateway errors that a later run may not meet
FATAL = frozenset(
    {"tape_miss", "missing_key", "budget_spent", "unknown_model", "not_served", "tape_shut", "closing", "missing"}
    | {"damaged", "bad_input", "refused"}
)
OURS = (401, 403)  # HTTP statuses that concern the key, not the request: with another key it may be answered
AT_ONCE = 16  # concurrent requests by default; the gateway has its own bound
AHEAD = 8  # times the concurrency: how many requests may be sent after the oldest unanswered one


@dataclass(frozen=True, slots=True)
class PromptSample:
    """A prompt with the number of one of its samples."""

    row: Prompt
    sample: int


@dataclass
class Inference:
    """The summary of a step's answers: finish reasons, errors, tokens and model versions; never the texts."""

    model: str
    finish: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    usage: Counter[str] = field(default_factory=Counter)
    models: set[str] = field(default_factory=set)
    fingerprints: set[str] = field(default_factory=set)
    retry: int = 0  # may be answered at another time: the next run asks again
    refused: int = 0
    mended: int = 0  # texts with a lone surrogate, which is written as U+FFFD
    untold: int | None = None  # answers that lack requested log-probabilities; None: none were requested

    def as_data(self) -> dict[str, Any]:
        """Convert to the one row of the output `inference`."""
        return {
            "model": self.model,
            "requests": sum(self.finish.values()),
            "finish": dict(self.finish),
            "errors": dict(self.errors),
            "usage": dict(self.usage),
            "models": sorted(self.models),
            "fingerprints": sorted(self.fingerprints),
            "retry": self.errors.total() if self.refused == sum(self.finish.values()) else self.retry,  # all: a mistake
            "mended": self.mended,
            **({} if self.untold is None else {"without_logprobs": self.untold}),
        }


def respond(params: Mapping[str, Any], prompts: Path, out: Path, wire: WireFormat) -> None:
    """Write `responses`, one row per prompt and sample in the order of the prompts, and `inference`, their summary.

    A request that fails gives an error row; an error of the gateway that every request would meet fails the step.
    Without a prompt, no connection is opened.
    """
    inference = Inference(params["model"], untold=None if params.get("logprobs") is None else 0)
    if rows.count(prompts):
        asyncio.run(_write(params, prompts, out / "responses", wire, inference))
    else:
        rows.write(out / "responses", ())
    rows.write_one(out / "inference", inference.as_data())


async def _write(
    params: Mapping[str, Any], prompts: Path, target: Path, wire: WireFormat, inference: Inference
) -> None:
    asks = (PromptSample(row, sample) for row in rows.read(prompts, Prompt) for sample in range(len(params["seeds"])))
    concurrency = params.get("concurrency", AT_ONCE)
    client = _client(wire)
    try:
        asker = _Asker(client, wire, inference, params.get("served", ""))
        with open(target, "wb") as file:
            async for response in _in_order(asks, asker.ask, concurrency):
                file.write(canonical(response.row()) + b"\n")
    finally:
        await client.close()


def _client(wire: WireFormat) -> Any:
    """Make an SDK client on the gateway's socket; it has no network, no key, and never retries."""
    import ssl  # noqa: PLC0415 - not every step speaks to a gateway

    import httpx2  # noqa: PLC0415 - heavy

    socket = os.environ.get(SOCKET, "")
    if not socket:
        raise MissingError(
            "this step has no gateway to ask", where=SOCKET, next="run it through `harness run`, which starts one"
        )
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=1024)
    unused = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # nothing is encrypted here; the default loads all authorities
    http = httpx2.AsyncClient(
        transport=httpx2.AsyncHTTPTransport(uds=socket, limits=limits, verify=unused),
        timeout=httpx2.Timeout(None, connect=30.0),  # the gateway ends what takes too long
    )
    return wire.client({"api_key": "none", "max_retries": 0, "http_client": http, "timeout": None})


async def _in_order(
    asks: Iterable[PromptSample], ask: Callable[[PromptSample], Any], concurrency: int
) -> AsyncIterator[Completion]:
    """Run up to `concurrency` requests at a time, and yield completions in order; pending ones are bounded."""
    slots = asyncio.Semaphore(concurrency)

    async def one(question: PromptSample) -> Completion:
        async with slots:
            answer: Completion = await ask(question)
            return answer

    waiting: deque[asyncio.Task[Completion]] = deque()
    try:
        for question in asks:
            waiting.append(asyncio.create_task(one(question)))
            if len(waiting) >= concurrency * AHEAD:
                yield await waiting.popleft()
        while waiting:
            yield await waiting.popleft()
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)


class _Asker:
    """A client that turns each prompt into a completion: an answer, or an error that is counted and never scored."""

    def __init__(self, client: Any, wire: WireFormat, inference: Inference, served: str = "") -> None:
        self._client, self._wire, self._inference = client, wire, inference
        self._named = {SERVED_HEADER: served} if served else {}

    async def ask(self, ask: PromptSample) -> Completion:
        import httpx2  # noqa: PLC0415 - heavy

        wire, sdk = self._wire, self._wire.sdk
        options = {**wire.options, "headers": {REPEAT_HEADER: str(ask.sample), **self._named}}
        body = wire.body(ask.row)
        try:
            answer: httpx2.Response = await self._client.post(
                wire.path, cast_to=httpx2.Response, body=body, options=options
            )
        except sdk.APIStatusError as bad:
            return self._refused(ask, bad.response)
        except sdk.APIConnectionError as bad:
            raise StepError(
                f"the connection to the gateway was lost ({type(bad.__cause__).__name__})",
                where=SOCKET,
                next="run again: on a recorded model, what was answered is on the tape",
            ) from None
        try:
            said = wire.read(json.loads(answer.content))
        except (AttributeError, LookupError, TypeError, ValueError):
            return self._error(ask, "no_answer", "HTTP 200 no_answer: the answer lacks what an answer has")
        return self._answered(ask, said)

    def _answered(self, ask: PromptSample, said: ParsedAnswer) -> Completion:
        text, thoughts, found = replace_surrogates(said.text), replace_surrogates(said.reasoning), self._inference
        found.mended += text != said.text
        if found.untold is not None:
            found.untold += said.logprobs is None
        found.finish[said.finish] += 1
        found.usage.update(said.usage or {})
        found.models |= {said.model} - {""}
        found.fingerprints |= {said.fingerprint} - {""}
        response = self._response(ask, text, said.finish, said.usage)
        return replace(response, reasoning=thoughts or None, logprobs=said.logprobs)

    def _refused(self, ask: PromptSample, response: Any) -> Completion:
        """Turn an HTTP error into an error row; fails the step where every other request would meet the same error."""
        kind, message = parse_refusal(response.content)
        kind, mark = kind or f"http_{response.status_code}", response.headers.get(ERROR_HEADER, "")
        if mark in FATAL:
            raise StepError(f"the gateway refused: {message}", where=mark, next="correct that, and run again")
        self._inference.retry += mark in AGAIN or response.status_code in OURS
        self._inference.refused += 1
        return self._error(ask, kind, f"HTTP {response.status_code} {kind}: {message}")

    def _error(self, ask: PromptSample, kind: str, message: str) -> Completion:
        self._inference.finish["error"] += 1
        self._inference.errors[kind] += 1
        return self._response(ask, "", "error", None, escape_unprintable(message)[:LONGEST_WORDS])

    def _response(
        self, ask: PromptSample, text: str, finish: str, usage: Mapping[str, int] | None, error: str | None = None
    ) -> Completion:
        row = ask.row
        return Completion(row["item"], row["template"], self._inference.model, ask.sample, text, finish, usage, error)
