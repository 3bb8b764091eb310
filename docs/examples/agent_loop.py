"""An agent that takes an evaluation by tools: it reads every item, asks its model, submits, and waits for its scores.

    python agent_loop.py STUDY SPLIT [SUBSET]

in the folder of a project whose manifest STUDY has an `agents:` block. The model is whatever OPENAI_BASE_URL speaks
for, named by MODEL; without that variable a stand-in says each time that it does not know.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import uuid
from collections.abc import Callable
from typing import Any
from urllib.request import Request, urlopen

from mcp import Client, StdioServerParameters

SERVER = [sys.executable, "-m", "harness.cli.main", "serve"]
AT_ONCE = 20  # answers of one call
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


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool and give its result; an error's text says what to do instead."""
    result = await client.call_tool(tool, arguments)
    if result.is_error:
        raise SystemExit(result.content[0].text if result.content else tool)
    return dict(result.structured_content or {})


async def prompt_of(client: Client, attempt: str, item: str) -> str:
    """Read the prompt of an item, a long one in its parts."""
    first = await call(client, "get_item", attempt_id=attempt, item_id=item)
    rest = range(2, first["parts"] + 1)
    return "".join(
        [first["prompt"]]
        + [(await call(client, "get_item", attempt_id=attempt, item_id=item, part=part))["prompt"] for part in rest]
    )


async def take(client: Client, model: Model, **chosen: str) -> dict[str, Any]:
    """Take a whole attempt, and give its scores."""
    begun = await call(client, "start_attempt", idempotency_key=str(uuid.uuid4()), agent_label="example", **chosen)
    attempt = begun["attempt_id"]
    while True:
        page = await call(client, "list_items", attempt_id=attempt, limit=AT_ONCE)  # those that are still open
        if not page["items"]:
            break
        prompts = [(one["item_id"], await prompt_of(client, attempt, one["item_id"])) for one in page["items"]]
        said = [{"item_id": item, "answer": await asyncio.to_thread(model, prompt)} for item, prompt in prompts]
        await call(client, "submit_answers", attempt_id=attempt, answers=said)
    while (ended := await call(client, "finish_attempt", attempt_id=attempt))["status"] == "scoring":
        await asyncio.sleep(0.5)
    return {"attempt_id": attempt, **ended}


async def main(study: str, split: str, subset: str = "") -> None:
    """Start a server, take an attempt, and print what it ended with."""
    command, *words = SERVER
    server = StdioServerParameters(command=command, args=words, env=dict(os.environ), cwd=os.getcwd())
    model = ask if "OPENAI_BASE_URL" in os.environ else stand_in
    chosen = {"study": study, "split": split, **({"subset": subset} if subset else {})}
    async with Client(server) as client:
        print(json.dumps(await take(client, model, **chosen), indent=1))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
