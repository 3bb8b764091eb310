"""The MCP server of a profile: its tools and the gate before them, and nothing else a client could ask for.

`build_server` is a factory without side effects, for every transport. No resources, prompts, templates, completions,
subscriptions or logging are registered: what does not stand here cannot be probed.
"""

from __future__ import annotations

from typing import Any

from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.extension import compose_tool_call_handler
from mcp.server.lowlevel.server import Server
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams, Tool

from harness_tools.gate import CallBackend, Gate
from harness_tools.tool_table import INSTRUCTIONS, listing, tools_fingerprint

NAME = "harness"
HOUR = 3_600_000  # milliseconds; a list of tools changes with the release only


def build_server(profile: str, backend: CallBackend, version: str = "") -> Server[Any]:
    """Build the server of a profile, whose calls the backend answers."""
    listed = listing(profile)
    tools = ListToolsResult(tools=[Tool.model_validate(one, by_name=False) for one in listed])
    schemas = {one["name"]: one["inputSchema"] for one in listed}
    gate = Gate(backend, tools_fingerprint(listed))

    async def list_tools(_: ServerRequestContext[Any], __: PaginatedRequestParams | None) -> ListToolsResult:
        return tools

    async def nothing(_: ServerRequestContext[Any], __: CallToolRequestParams) -> CallToolResult:
        raise AssertionError("the gate answers every call")

    server: Server[Any] = Server(
        NAME,
        version=version,
        title="LLM harness: evaluations as evidence",
        instructions=INSTRUCTIONS[profile],
        cache_hints={"tools/list": CacheHint(ttl_ms=HOUR, scope="public")},
        get_tool_input_schema=schemas.get,
        on_list_tools=list_tools,
        on_call_tool=compose_tool_call_handler([gate], nothing),  # type: ignore[arg-type]  # the SDK's own way
    )
    server.extensions[gate.identifier] = gate.settings()
    return server
