"""A provider on loopback that speaks both wire formats and misbehaves as a test tells it, and counts what it is asked.

How it behaves is decided by the text of the prompt: `server.plan["text"] = ["500", "429"]` are what its first askings
meet; after them it answers well. Each answer differs from the one before, so that asking twice would show.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import struct
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

THOUGHTS = {"reasoning_content": "Hm. \ud83d Two.", "reasoning": "One and one."}
CACHED: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {"prompt_tokens": 1000, "prompt_tokens_details": {"cached_tokens": 900}},
    "/v1/messages": {
        "input_tokens": 50, "output_tokens": 5, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 50,
    },
}  # fmt: skip
EMPTY = {  # bodies of HTTP 200 that are JSON and hold no answer
    "shape": b'{"error": {"message": "overloaded"}}', "empty": b'{"object": "chat.completion", "choices": []}',
}  # fmt: skip
OTHER_KINDS = {  # bodies of HTTP 200 that are no JSON: a page, and half of a stream for which nobody asked
    "html": ("text/html", b"<html>maintenance</html>"),
    "stream": ("text/event-stream", b'data: {"choices": [{"index": 0, "delta": {"content": "ec"}}]}\n\ndata: {"choi'),
}
HANG = 30.0  # seconds; no test waits so long


class Misbehaving:
    """The server; its counters may be read while it runs."""

    def __init__(self) -> None:
        self.plan: dict[str, list[str]] = defaultdict(list)
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.headers: list[dict[str, str]] = []
        self.bodies: list[dict[str, Any]] = []
        self.most_at_once = self._now = 0
        self.delay = 0.0
        self.usual = "fine"  # how it behaves where nothing is planned
        self.words = b""  # the body of its refusals, where they are to have another
        self.strict = False  # whether it refuses what some providers of today refuse
        self.url = ""
        self.voice, self.served, self.fingerprint = "echo", "", "fp_1"  # its words, and the model it says it is

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError), contextlib.closing(writer):
            while head := await reader.readuntil(b"\r\n\r\n"):
                first, *lines = head.decode("latin-1").split("\r\n")
                headers = {name.strip().lower(): value.strip() for name, _, value in (x.partition(":") for x in lines)}
                body = json.loads(await reader.readexactly(int(headers["content-length"])))
                self.headers.append(headers)
                self.bodies.append(body)
                self._now += 1
                self.most_at_once = max(self.most_at_once, self._now)
                try:
                    if not await self._behave(first.split()[1], body, writer):
                        break
                finally:
                    self._now -= 1

    async def _behave(self, path: str, body: dict[str, Any], writer: asyncio.StreamWriter) -> bool:
        """Answer one request; false where the connection is to end."""
        text = _text(body)
        self.asked[text] += 1
        way, _, given = (self.plan[text].pop(0) if self.plan[text] else self.usual).partition(":")
        if self.delay:
            await asyncio.sleep(self.delay)
        whole = self._answer(path, body, text, way)
        data = json.dumps(whole).encode()
        if self.strict and (why := _too_much(path, body)):
            return await _send(writer, *why)
        if way.isdigit():
            kind = {"400": "invalid_request_error", "429": "rate_limit_error"}.get(way, "api_error")
            shape = {"error": {"type": kind, "message": f"no \x1b[31m luck with {given or text}"}}
            extra = f"{given}\r\n".encode() if ": " in given else b""
            return await _send(writer, int(way), self.words or json.dumps(shape).encode(), extra=extra)
        if way == "hang":
            await asyncio.sleep(HANG)
            return False
        if way in ("noise", "close"):
            writer.write(b"\x00\xffnothing that anybody speaks\r\n\r\n" * (way == "noise"))
            return False
        if way == "redirect":
            return await _send(writer, 302, b"{}", extra=f"Location: {given}\r\n".encode())
        if way == "cut":
            await _send(writer, 200, data[: len(data) // 2], length=len(data))
            return False
        if way == "broken":
            return await _send(writer, 200, data[: len(data) // 2])
        if way in OTHER_KINDS:
            return await _send(writer, 200, OTHER_KINDS[way][1], kind=OTHER_KINDS[way][0])
        if way in EMPTY or way == "raw":
            return await _send(writer, 200, EMPTY.get(way, self.words))
        if way == "key":
            return await _send(writer, 200, data.replace(b"echo", self.headers[-1]["authorization"][7:].encode()))
        self.answered[text] += 1
        return await _send(writer, 200, data, slow=way == "slow")

    def _answer(self, path: str, body: dict[str, Any], text: str, way: str) -> dict[str, Any]:
        number = self.answered[text]
        name = "same-id" if way == "twin" else f"id-{sum(self.answered.values())}"
        said = {"big": "x" * 10_000_000, "surrogate": "half \ud83d a smile", "refused": ""}.get(
            way, f"{self.voice} {text} {number}"
        )
        finish = "content_filter" if way == "refused" else "stop"
        if path in OTHERS:
            return OTHERS[path](name, body, said, way)
        if path == "/v1/messages":
            finish = "refusal" if way == "refused" else "end_turn"
            blocks: list[dict[str, Any]] = [{"type": "text", **({} if way == "hollow" else {"text": said})}]
            if way in THOUGHTS:
                blocks.insert(0, {"type": "thinking", "thinking": THOUGHTS[way], "signature": "c2ln"})
            if way == "tool":
                blocks.append({"type": "tool_use", "id": "t1", "name": "look", "input": {"at": ["a", 1]}})
                finish = "tool_use"
            return {"id": name, "type": "message", "role": "assistant", "model": self.served or body["model"],
                    "content": blocks, "stop_reason": finish, "stop_sequence": None,
                    "usage": CACHED[path] if way == "cached" else {"input_tokens": 7, "output_tokens": 5}}  # fmt: skip
        logs = None if way == "untold" or not body.get("logprobs") else logprobs(path, body)
        usage: dict[str, Any] = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}
        usage = {**usage, **CACHED[path]} if way == "cached" else usage
        head = {"id": name, "created": 1, "model": self.served or body["model"],
                "system_fingerprint": self.fingerprint, "usage": usage}  # fmt: skip
        if path == "/v1/completions":
            return {**head, "object": "text_completion",
                    "choices": [{"index": 0, "text": said, "logprobs": logs, "finish_reason": finish}]}  # fmt: skip
        message: Any = "hollow" if way == "hollow" else {"role": "assistant", "content": said, "refusal": None}
        if way in THOUGHTS:
            message[way] = THOUGHTS[way]
        if way == "tool":
            call = {"id": "t1", "type": "function", "function": {"name": "look", "arguments": '{"at": ["a", 1]}'}}
            message, finish = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
        return {**head, "object": "chat.completion",
                "choices": [{"index": 0, "message": message, "logprobs": logs, "finish_reason": finish}]}  # fmt: skip


def logprobs(path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Tell of two tokens, as many of the likeliest as are asked for; a completion tells the chosen one besides."""
    if path == "/v1/completions":
        top = {f" t{place}": -0.5 * place for place in range(body["logprobs"], -1, -1)}
        return {"tokens": ["ec", "ho"], "token_logprobs": [-0.25, -2], "top_logprobs": [top, {"ho": -2}],
                "text_offset": [0, 2]}  # fmt: skip
    top_logprobs = [{"token": f"t{n}", "logprob": -0.5 * n, "bytes": [116]} for n in range(body["top_logprobs"])]
    half = {"token": "half \ud83d", "logprob": -9999.0, "bytes": None, "top_logprobs": top_logprobs[:1]}
    return {"content": [{"token": "ec", "logprob": -0.25, "bytes": [1], "top_logprobs": top_logprobs}, half],
            "refusal": None}  # fmt: skip


def _text(body: dict[str, Any]) -> str:
    """Give the text of a question, whichever API it is of."""
    said: Any = body.get("prompt") or body.get("input") or body["messages"]
    while isinstance(said, list):
        said = said[-1].get("content", said[-1].get("text")) if isinstance(said[-1], dict) else said[-1]
    return str(said)


def _response(name: str, body: dict[str, Any], said: str, way: str) -> dict[str, Any]:
    part: dict[str, Any] = {"type": "output_text", "text": said, "annotations": [], "logprobs": []}
    item = {"id": f"msg-{name}", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
    output: list[dict[str, Any]] = [item]
    if way == "thoughtful":
        part["annotations"] = [{"type": "url_citation", "url": "u", "title": "t", "start_index": 0, "end_index": 1}]
        thought = {"type": "summary_text", "text": "Hm."}
        output.insert(0, {"id": "rs", "type": "reasoning", "summary": [thought], "encrypted_content": "zz"})
        output.insert(1, {"id": "ws", "type": "web_search_call", "status": "completed"})
    if way == "tool":
        call = {"type": "function_call", "id": "fc", "call_id": "t1", "name": "look", "arguments": '{"at": 1}'}
        output = [{**call, "status": "completed"}]
    counts = {"input_tokens": 7, "output_tokens": 5, "total_tokens": 12, "input_tokens_details": {"cached_tokens": 3},
              "output_tokens_details": {"reasoning_tokens": 0}}  # fmt: skip
    return {"id": name, "object": "response", "created_at": 1, "model": body["model"], "error": None, "metadata": {},
            "status": {"short": "incomplete", "queued": "queued"}.get(way, "completed"), "output": output,
            "incomplete_details": {"reason": "max_output_tokens"} if way == "short" else None, "instructions": None,
            "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "usage": counts}  # fmt: skip


def _embeddings(name: str, body: dict[str, Any], said: str, way: str) -> dict[str, Any]:
    vector = [float(len(said)), 0.5]
    packed = base64.b64encode(struct.pack("<2f", *vector)).decode() if body.get("encoding_format") else vector
    return {"object": "list", "model": body["model"], "usage": {"prompt_tokens": 7, "total_tokens": 7},
            "data": [{"object": "embedding", "index": 0, "embedding": packed}]}  # fmt: skip


OTHERS: dict[str, Callable[[str, dict[str, Any], str, str], dict[str, Any]]] = {
    "/v1/responses": _response,
    "/v1/embeddings": _embeddings,
    "/v1/messages/count_tokens": lambda name, body, said, way: {"input_tokens": len(said)},
}


def _too_much(path: str, body: dict[str, Any]) -> tuple[int, bytes] | None:
    """Refuse as Claude's newer models and as a server of open models do."""
    if path == "/v1/messages" and "temperature" in body and "top_p" in body:
        said = "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
        return 400, json.dumps({"type": "error", "error": {"type": "invalid_request_error", "message": said}}).encode()
    if body.get("stop") == []:
        return 500, b"Internal Server Error"
    return None


async def _send(
    writer: asyncio.StreamWriter, status: int, data: bytes, *, kind: str = "application/json", extra: bytes = b"",
    length: int | None = None, slow: bool = False,
) -> bool:  # fmt: skip
    size = len(data) if length is None else length
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {size}\r\n".encode()
    writer.write(head + extra + b"\r\n")
    step = max(1, len(data) // 8) if slow else max(1, len(data))
    for at in range(0, len(data), step):
        writer.write(data[at : at + step])
        await writer.drain()
        if slow:
            await asyncio.sleep(0.03)
    return True


@contextlib.contextmanager
def misbehaving() -> Iterator[Misbehaving]:
    """Run a server on a free port of 127.0.0.1 for as long as the block lasts."""
    loop, server = asyncio.new_event_loop(), Misbehaving()
    listening = loop.run_until_complete(asyncio.start_server(server.serve, "127.0.0.1", 0))
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def end() -> None:
        listening.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(end(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
