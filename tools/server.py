"""The MCP server of a profile: its tools and the gate before them, and nothing else that a client could request.

`build_server` is a factory without side effects, for every transport. No resources, prompts, templates, completions,
subscriptions or logging are registered, so none of them can be probed. The gate at `tools/call` passes every call to
the backend unchanged, and returns the backend's reply unchanged: the SDK would drop unknown arguments and convert
values, so its own handling of calls is bypassed. The backend logs each call before its reply is sent. Independent of
studies and transcripts.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any, Protocol

from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import Extension, compose_tool_call_handler
from mcp.server.lowlevel.server import Server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ContentBlock,
    ImageContent,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

from harness.attempts.calls import AgentReply, CallFacts
from harness.attempts.codes import AttemptError
from harness_tools.tool_table import INSTRUCTIONS, profile_tools, tools_fingerprint

LOG = logging.getLogger(__name__)
IDENTIFIER = "harness/gate"
LONGEST_CLIENT = 80  # letters of a client's name that are written down


class CallBackend(Protocol):
    """Protocol of a backend, which answers tool calls; those that may take long are answered in a thread."""

    @property
    def threads(self) -> Executor | None:
        """The threads in which its calls wait; None: those that all share."""
        ...

    def waits(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Whether a call may wait for another process, so that it must be answered in a thread."""
        ...

    def call(self, tool: str, arguments: Mapping[str, Any], facts: CallFacts) -> AgentReply:
        """Answer a tool call and log it once, whatever its outcome."""
        ...


Backends = Callable[[ServerRequestContext[Any, Any]], CallBackend]  # who answers a call: over HTTP, its principal's


class Gate(Extension):
    """The SDK extension that passes every tool call of the server to a backend."""

    identifier = IDENTIFIER

    def __init__(self, backends: Backends, fingerprint: str) -> None:
        self._backends, self._fingerprint = backends, fingerprint

    def settings(self) -> dict[str, Any]:
        """Return the settings shown in the server's capabilities: the fingerprint of the list of tools."""
        return {"toolsFingerprint": self._fingerprint}

    async def intercept_tool_call(
        self, params: CallToolRequestParams, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Answer a call; `call_next` is never called, because there is no handler behind the gate."""
        try:
            return tool_result(await self.reply(ctx, params.name, params.arguments or {}, client_facts(ctx)))
        except Exception:  # the log is not writable: a reply that was not logged is not sent
            LOG.exception("a call of %r was not answered", params.name[:LONGEST_CLIENT])
            return tool_result(
                AgentReply(None, AttemptError("E_INTERNAL", "the server cannot write this call down"), "")
            )

    async def reply(
        self, ctx: ServerRequestContext[Any, Any], tool: str, arguments: Mapping[str, Any], said: CallFacts
    ) -> AgentReply:
        """Have the caller's backend answer a call; return the reply once the call is logged durably.

        A cancelled call goes on: it is logged, and repeating the call returns its reply.
        """
        backend = self._backends(ctx)
        if backend.waits(tool, arguments):
            loop = asyncio.get_running_loop()
            reply = await asyncio.shield(loop.run_in_executor(backend.threads, backend.call, tool, arguments, said))
        else:
            reply = backend.call(tool, arguments, said)
        if not reply.durable.done():
            await asyncio.shield(asyncio.wrap_future(reply.durable))
        reply.durable.result()
        return reply


def tool_result(reply: AgentReply) -> CallToolResult:
    """Return a reply in the form of MCP: the data as structure and as text, the images, and the head in `_meta`."""
    meta = {"transcript_head": reply.head}
    if reply.error is not None:
        # In `_meta`, because clients validate structured content by the tool's output schema in errors, too.
        said = TextContent(text=reply.error.text)
        return CallToolResult(content=[said], is_error=True, _meta={**meta, "error": dict(reply.error.as_reply())})
    data = dict(reply.data or {})
    content: list[ContentBlock] = [TextContent(text=json.dumps(data, ensure_ascii=False, separators=(",", ":")))]
    content += [ImageContent(data=base64.b64encode(one.data).decode(), mime_type=one.type) for one in reply.images]
    return CallToolResult(content=content, structured_content=data, _meta=meta)


def client_facts(ctx: ServerRequestContext[Any, Any]) -> CallFacts:
    """Return the protocol version of a request, and the name and version that its client states, shortened.

    Over HTTP a client of the older protocols states them once, before any session, so its header User-Agent is taken.
    """
    params = ctx.session.client_params
    said = f"{params.client_info.name}/{params.client_info.version}" if params else ""
    if not said and ctx.request is not None:
        said = str(ctx.request.headers.get("user-agent", ""))
    return CallFacts(ctx.protocol_version, said[:LONGEST_CLIENT])


NAME = "harness"
HOUR = 3_600_000  # milliseconds; a list of tools changes with the release only


Gates = Callable[[Gate], Sequence[Extension]]  # gives the extensions of a server, the gate last


def build_server(
    profile: str, backend: CallBackend, version: str = "", gates: Gates = lambda gate: [gate]
) -> Server[Any]:
    """Return the server of a profile; the backend answers its calls. `gates` adds extensions around the gate."""
    return build_shared_server(profile, lambda _: backend, version, gates)


def build_shared_server(
    profile: str, backends: Backends, version: str = "", gates: Gates = lambda gate: [gate]
) -> Server[Any]:
    """Return the server of a profile that several principals call; of the backends, that of a call answers it."""
    listed = profile_tools(profile)
    tools = ListToolsResult(tools=[Tool.model_validate(one, by_name=False) for one in listed])
    schemas = {one["name"]: one["inputSchema"] for one in listed}
    gate = Gate(backends, tools_fingerprint(listed))
    extensions = gates(gate)

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
        on_call_tool=compose_tool_call_handler(extensions, nothing),  # type: ignore[arg-type]  # the SDK's own way
    )
    for extension in extensions:
        server.extensions[extension.identifier] = extension.settings()
        for method in extension.methods():
            server.add_request_handler(method.method, method.params_type, method.handler)
    return server
