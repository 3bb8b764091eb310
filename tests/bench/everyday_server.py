"""A server on loopback that stands in for a model: it adds the two numbers of a question, as a chat of OpenAI's API.

It answers each request after a while, as a model does. Models are told apart by their names: `careless` is wrong where
the first number is a multiple of four, `judge` gives every answer its best grade, and any other is right. As a program
it prints its port and ends with its standard input.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

SECONDS = 60
SUM = re.compile(r"(\d+) plus (\d+)")
OPTION = re.compile(r"^\(?([A-D])[.):]+ *(\d+) *$", re.MULTILINE)
CARELESS, JUDGE = "careless", "judge"


def reply(model: str, text: str) -> str:
    """Return what a model says to a prompt: the sum, or the letter of the option that is the sum."""
    if model == JUDGE:
        return "GRADE: C" if "GRADE: $LETTER" in text or "GRADE: C" in text else "GRADE: 1"
    found = SUM.findall(text)
    if not found:
        return "There is nothing to add."
    first, second = map(int, found[-1])
    value = first + second + (model == CARELESS and first % 4 == 0)
    options = {number: letter for letter, number in OPTION.findall(text[text.rindex(" plus ") :])}
    said = options.get(str(value), "A") if options else str(value)
    return f"ANSWER: {said}" if "ANSWER: $LETTER" in text else said


def _text(body: dict[str, Any]) -> str:
    """Return the last turn's text, written in one piece or in parts."""
    said = body["messages"][-1]["content"]
    return said if isinstance(said, str) else "".join(str(part.get("text", "")) for part in said)


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay: float) -> None:
    with contextlib.suppress(OSError, asyncio.IncompleteReadError), contextlib.closing(writer):
        while head := await reader.readuntil(b"\r\n\r\n"):
            size = re.search(rb"(?i)content-length: *(\d+)", head)
            body = json.loads(await reader.readexactly(int(size[1]) if size else 0) or b"{}")
            await asyncio.sleep(delay)
            said = reply(str(body.get("model")), _text(body))
            choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
            usage = {"prompt_tokens": 20, "completion_tokens": 2, "total_tokens": 22}
            whole = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": body.get("model")}
            data = json.dumps({**whole, "choices": [choice], "usage": usage}).encode()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(data))
            writer.write(data)
            await writer.drain()


async def _run(delay: float) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _serve(reader, writer, delay)

    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


@contextlib.contextmanager
def answering_server(delay: float) -> Iterator[str]:
    """Run the server beside us, and give its URL."""
    process = subprocess.Popen(
        [sys.executable, __file__, str(delay)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.communicate(timeout=SECONDS)


if __name__ == "__main__":
    asyncio.run(_run(float(sys.argv[1])))
