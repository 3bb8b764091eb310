"""The inference step that remote providers share: it calls the gateway and writes one response per prompt and sample.

It connects only to the gateway's Unix socket and has no key. Requests are sent without the provider's SDK, whose import
takes longer than many a step; the gateway asks the provider through it.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import rows
from harness.digest import canonical_json
from harness.errors import MissingError, StepError
from harness.models.provider import Completion
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

if TYPE_CHECKING:
    import httpx2

SOCKET = "HARNESS_GATEWAY"  # the variable that names the gateway's socket
AGAIN = frozenset({"retries_exhausted", "busy"})  # gateway errors that may not occur in a later run
FATAL = frozenset(
    {"tape_miss", "missing_key", "budget_spent", "unknown_model", "not_served", "tape_shut", "closing", "missing"}
    | {"damaged", "bad_input", "refused"}
)
OURS = (401, 403)  # HTTP statuses about the key, not the request, which may succeed with another key
AT_ONCE = 16  # concurrent requests if neither the parameters nor the run say how many; the gateway has its own bound
AT_ONCE_VARIABLE = "HARNESS_AT_ONCE"  # the variable by which a run says it
AHEAD = 8  # times the concurrency: most requests sent after the oldest unanswered one


@dataclass(frozen=True, slots=True)
class PromptSample:
    """A prompt with the number of one of its samples."""

    row: Prompt
    sample: int


@dataclass
class Inference:
    """The summary of a step's answers: finish reasons, errors, tokens and model versions, without the texts."""

    model: str
    finish: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    usage: Counter[str] = field(default_factory=Counter)
    models: set[str] = field(default_factory=set)
    fingerprints: set[str] = field(default_factory=set)
    retry: int = 0  # requests that the next run asks again
    refused: int = 0
    mended: int = 0  # texts with a lone surrogate, which is written as U+FFFD
    untold: int | None = None  # answers that lack requested log-probabilities; None: none were requested

    def as_data(self) -> dict[str, Any]:
        """Return the one row of the output `inference`."""
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

    A request that fails gives an error row. A gateway error that would affect every request fails the step. Without a
    prompt, no connection is opened.
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
    concurrency = params.get("concurrency") or int(os.environ.get(AT_ONCE_VARIABLE, AT_ONCE))
    client = _client()
    try:
        asker = _Asker(client, wire, inference, params.get("served", ""))
        with open(target, "wb") as file:
            async for response in _in_order(asks, asker.ask, concurrency):
                file.write(canonical_json(response.row()) + b"\n")
    finally:
        await client.aclose()


def _client() -> httpx2.AsyncClient:
    """Return an HTTP client on the gateway's socket; it has no network and no key, and does not retry."""
    import ssl  # noqa: PLC0415 - not every step uses a gateway

    import httpx2  # noqa: PLC0415 - heavy

    socket = os.environ.get(SOCKET, "")
    if not socket:
        raise MissingError(
            "this step has no gateway to ask", where=SOCKET, next="run it through `harness run`, which starts one"
        )
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=1024)
    unused = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # no encryption here; the default would load all CAs
    return httpx2.AsyncClient(
        base_url="http://gateway",
        transport=httpx2.AsyncHTTPTransport(uds=socket, limits=limits, verify=unused),
        timeout=httpx2.Timeout(None, connect=30.0),  # the gateway limits the time
        trust_env=False,
    )


async def _in_order(
    asks: Iterable[PromptSample], ask: Callable[[PromptSample], Any], concurrency: int
) -> AsyncIterator[Completion]:
    """Run up to `concurrency` requests at a time, and yield completions in order; pending requests are bounded."""
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

    def __init__(self, client: httpx2.AsyncClient, wire: WireFormat, inference: Inference, served: str = "") -> None:
        self._client, self._wire, self._inference = client, wire, inference
        self._headers = {"Content-Type": "application/json"}
        if served:
            self._headers[SERVED_HEADER] = served

    async def ask(self, ask: PromptSample) -> Completion:
        import httpx2  # noqa: PLC0415 - heavy

        asked = json.dumps(self._wire.body(ask.row), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        headers = {**self._headers, REPEAT_HEADER: str(ask.sample)}
        try:
            answer = await self._client.post(self._wire.path, content=asked.encode(), headers=headers)
        except httpx2.RequestError as bad:
            raise StepError(
                f"the connection to the gateway was lost ({type(bad).__name__})",
                where=SOCKET,
                next="run again: on a recorded model, what was answered is on the tape",
            ) from None
        if not answer.is_success:
            return self._refused(ask, answer)
        try:
            said = self._wire.read(json.loads(answer.content))
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

    def _refused(self, ask: PromptSample, response: httpx2.Response) -> Completion:
        """Convert an HTTP error to an error row; raises StepError if every other request would get the same error."""
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
