"""Other people's clients of our tools, written in Python: each carries the calls that stdin names, a line each.

    python carrier.py CLIENT JSON-OF {command, args, env, cwd} or {url, headers}

A call is `{"tool": …, "args": …}`, with `seconds` if the client is to give it up by its own timeout, or with `cancel`
if it is cancelled after so many seconds. The reply is a line `{"data": …}`, `{"error": text}` or `{"gave_up": text}`.
Its first line is `{"client": name, "version": …, "protocol": …}`. It runs in the environment of `make peers`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

Place = dict[str, Any]
Call = Callable[[str, dict[str, Any], float | None], Awaitable[dict[str, Any]]]


def told(result: Any) -> dict[str, Any]:
    """Give a result of `tools/call` as data, or as the error's text."""
    if getattr(result, "is_error", None) or getattr(result, "isError", None):
        return {"error": result.content[0].text}
    found = getattr(result, "structured_content", None) or getattr(result, "structuredContent", None)
    data = json.loads(result.content[0].text)
    assert found is None or found == data
    return {"data": data}


def _sdk(mode: str) -> Any:
    """Make the carrier that is the official client, in one era."""

    @asynccontextmanager
    async def opened(place: Place) -> AsyncIterator[tuple[str, str, Call]]:
        from mcp import Client, StdioServerParameters

        if "url" in place:
            import httpx2
            from mcp.client.streamable_http import streamable_http_client

            http = httpx2.AsyncClient(headers=place["headers"], timeout=60)
            async with http, Client(streamable_http_client(place["url"], http_client=http), mode=mode) as client:
                yield version("mcp"), str(client.protocol_version), _caller(client)
            return
        server = StdioServerParameters(**place)
        async with Client(server, mode=mode) as client:
            yield version("mcp"), str(client.protocol_version), _caller(client)

    def _caller(client: Any) -> Call:
        async def call(tool: str, args: dict[str, Any], seconds: float | None) -> dict[str, Any]:
            return told(await client.call_tool(tool, args, read_timeout_seconds=seconds or 60))

        return call

    return opened


@asynccontextmanager
async def fastmcp(place: Place) -> AsyncIterator[tuple[str, str, Call]]:
    """Carry calls with FastMCP's client."""
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

    transport = StreamableHttpTransport(**place) if "url" in place else StdioTransport(**place)
    async with Client(transport) as client:

        async def call(tool: str, args: dict[str, Any], seconds: float | None) -> dict[str, Any]:
            return told(await client.call_tool(tool, args, raise_on_error=False, timeout=seconds or 60))

        yield version("fastmcp"), "", call


@asynccontextmanager
async def agents(place: Place) -> AsyncIterator[tuple[str, str, Call]]:
    """Carry calls with the servers of openai-agents."""
    from agents.mcp import MCPServerStdio, MCPServerStreamableHttp

    kind = MCPServerStreamableHttp if "url" in place else MCPServerStdio
    async with kind(params=place, client_session_timeout_seconds=30) as server:

        async def call(tool: str, args: dict[str, Any], seconds: float | None) -> dict[str, Any]:
            async with asyncio.timeout(seconds):
                return told(await server.call_tool(tool, args))

        yield version("openai-agents"), "", call


@asynccontextmanager
async def inspect(place: Place) -> AsyncIterator[tuple[str, str, Call]]:
    """Carry calls with the tools that Inspect AI makes of a server's."""
    from inspect_ai.tool import ToolDef, mcp_connection, mcp_server_http, mcp_server_stdio, mcp_tools

    if "url" in place:
        server = mcp_server_http(name="harness", url=place["url"], headers=place["headers"])
    else:
        server = mcp_server_stdio(name="harness", **place)
    source = mcp_tools(server)
    async with mcp_connection(source):
        made = {ToolDef(one).name: one for one in await source.tools()}

        async def call(tool: str, args: dict[str, Any], seconds: float | None) -> dict[str, Any]:
            try:
                async with asyncio.timeout(seconds):
                    content = await made[tool](**args)
            except TimeoutError:
                raise
            except Exception as bad:  # its own ToolError, whose text is the server's
                return {"error": str(bad)}
            text = content if isinstance(content, str) else content[0].text
            return {"data": json.loads(text)}

        yield version("inspect-ai"), "", call


CARRIERS = {
    "python": _sdk("auto"),
    "python-legacy": _sdk("legacy"),
    "fastmcp": fastmcp,
    "openai-agents": agents,
    "inspect": inspect,
}


async def main(name: str, place: Place) -> None:
    """Carry calls until stdin ends."""
    out, sys.stdout = sys.stdout, sys.stderr
    loop = asyncio.get_running_loop()

    def put(line: dict[str, Any]) -> None:
        out.write(json.dumps(line) + "\n")
        out.flush()

    async with CARRIERS[name](place) as (number, protocol, call):
        put({"client": name, "version": number, "protocol": protocol})
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            asked = json.loads(line)
            work = asyncio.ensure_future(call(asked["tool"], asked["args"], asked.get("seconds")))
            if "cancel" in asked:
                await asyncio.sleep(asked["cancel"])
                work.cancel()
            try:
                put(await work)
            except (Exception, asyncio.CancelledError) as bad:  # each client has its own error for a lost call
                put({"gave_up": f"{type(bad).__name__}: {bad}"[:300]})


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], json.loads(sys.argv[2])))
