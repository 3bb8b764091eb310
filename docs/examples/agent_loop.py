"""An agent that takes an evaluation by tools: it reads every item, asks its model, submits, and waits for its scores.

    python agent_loop.py STUDY SPLIT [SUBSET]

in the folder of a project whose manifest STUDY has an `agents:` block, or anywhere if MCP_CONFIG names the file that
`harness serve --print-config claude` wrote. The model is whatever OPENAI_BASE_URL speaks
for, named by MODEL; without that variable a stand-in says each time that it does not know.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from mcp import Client, StdioServerParameters

SERVER = [sys.executable, "-m", "harness.cli.main", "serve"]
AGAIN = 0.5  # seconds until a call is made again
NOT_KNOWN = "I do not know."
Model = Callable[[str], str]  # prompt to answer


def stand_in(_: str) -> str:
    """Answer without a model."""
    return NOT_KNOWN


def ask(prompt: str) -> str:
    """Ask the model behind OPENAI_BASE_URL."""
    body = {"model": os.environ["MODEL"], "prompt": prompt, "temperature": 0, "max_tokens": 32}
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}
    url = f"{os.environ['OPENAI_BASE_URL']}/completions"
    request = Request(url, json.dumps(body).encode(), headers)  # noqa: S310 - a person gave the address
    with urlopen(request, timeout=300) as reply:  # noqa: S310
        return str(json.load(reply)["choices"][0]["text"])


class RefusedError(Exception):
    """A call that the server refused; the text says what to do instead."""


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool and give its result; while the server is still at work on the call, make the same call again."""
    while True:
        result = await client.call_tool(tool, arguments)
        if not result.is_error:
            return dict(result.structured_content or {})
        text = str(result.content[0].text) if result.content else tool
        if not text.startswith("E_BUSY"):
            raise RefusedError(text)
        await asyncio.sleep(AGAIN)


async def prompt_of(client: Client, attempt: str, item: dict[str, Any]) -> str:
    """Give the prompt of an item as text, a long one with its further parts; a chat as its last turn."""
    if "messages" in item:
        return str(item["messages"][-1]["content"])
    text = str(item["prompt"])
    for part in range(2, item.get("parts", 1) + 1):
        more = await call(client, "get_item", attempt_id=attempt, item_ids=[item["item_id"]], part=part)
        text += more["items"][0]["prompt"]
    return text


async def take(client: Client, model: Model, **chosen: str) -> dict[str, Any]:
    """Take a whole attempt, and give its scores."""
    begun = await call(client, "start_attempt", idempotency_key=str(uuid.uuid4()), agent_label="example", **chosen)
    attempt = begun["attempt_id"]
    while items := (await call(client, "get_item", attempt_id=attempt))["items"]:  # the next that are still open
        prompts = [(one["item_id"], await prompt_of(client, attempt, one)) for one in items]
        said = [{"item_id": item, "answer": await asyncio.to_thread(model, prompt)} for item, prompt in prompts]
        await call(client, "submit_answers", attempt_id=attempt, answers=said)
    while (ended := await call(client, "finish_attempt", attempt_id=attempt))["status"] == "scoring":
        await asyncio.sleep(AGAIN)
    return {"attempt_id": attempt, **ended}


def configured(file: str) -> list[str]:
    """Give the command that a client's file of settings has for the server."""
    told = json.loads(Path(file).read_text(encoding="utf-8"))["mcpServers"]["harness"]
    return [told["command"], *told["args"]]


async def main(study: str, split: str, subset: str = "") -> None:
    """Start a server, take an attempt, and print what it ended with."""
    command, *words = configured(os.environ["MCP_CONFIG"]) if "MCP_CONFIG" in os.environ else SERVER
    server = StdioServerParameters(command=command, args=words, env=dict(os.environ), cwd=os.getcwd())
    model = ask if "OPENAI_BASE_URL" in os.environ else stand_in
    chosen = {"study": study, "split": split, **({"subset": subset} if subset else {})}
    refused = ""
    async with Client(server) as client:
        try:
            print(json.dumps(await take(client, model, **chosen), indent=1))
        except RefusedError as bad:  # ends the program after the client, whose tasks would wrap it in a group
            refused = str(bad)
    if refused:
        raise SystemExit(refused)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
