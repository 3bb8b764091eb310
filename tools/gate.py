"""Gate at `tools/call`: every call goes to the desk as it came, and the desk's reply goes out as it is.

The SDK would drop unknown arguments and turn values into others; it gets no say in either. The gate knows MCP and
neither studies nor transcripts: whoever answers has written the call down before its reply leaves.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from collections.abc import Mapping
from typing import Any, Protocol

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import Extension
from mcp_types import CallToolRequestParams, CallToolResult, ContentBlock, ImageContent, TextContent

from harness.attempts.calls import AgentReply, CallFacts
from harness.attempts.codes import AttemptError

LOG = logging.getLogger(__name__)
IDENTIFIER = "harness/gate"
LONGEST_CLIENT = 80  # letters of a client's name that are written down


class CallBackend(Protocol):
    """What answers calls."""

    def waits(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Whether a call may wait for another process, so that it belongs on a thread."""
        ...

    def call(self, tool: str, arguments: Mapping[str, Any], facts: CallFacts) -> AgentReply:
        """Answer a call; whatever it is, it is written down once."""
        ...


class Gate(Extension):
    """The one extension of the server."""

    identifier = IDENTIFIER

    def __init__(self, backend: CallBackend, fingerprint: str) -> None:
        self._backend, self._fingerprint = backend, fingerprint

    def settings(self) -> dict[str, Any]:
        """Say in the server's capabilities what list of tools it has."""
        return {"toolsFingerprint": self._fingerprint}

    async def intercept_tool_call(
        self, params: CallToolRequestParams, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Answer a call. `call_next` is never asked: behind the gate there is no other handler."""
        try:
            return result(await self._reply(params.name, params.arguments or {}, _facts(ctx)))
        except Exception:  # the log takes no line: what was not written down is not told
            LOG.exception("a call of %r was not answered", params.name[:LONGEST_CLIENT])
            return result(AgentReply(None, AttemptError("E_INTERNAL", "the server cannot write this call down"), ""))

    async def _reply(self, tool: str, arguments: Mapping[str, Any], facts: CallFacts) -> AgentReply:
        """Ask the backend, and wait until the call is durable.

        A call that is cancelled goes on: it is written down, and the same call again gives its reply.
        """
        if self._backend.waits(tool, arguments):
            reply = await asyncio.shield(asyncio.to_thread(self._backend.call, tool, arguments, facts))
        else:
            reply = self._backend.call(tool, arguments, facts)
        if not reply.durable.done():
            await asyncio.shield(asyncio.wrap_future(reply.durable))
        reply.durable.result()
        return reply


def result(reply: AgentReply) -> CallToolResult:
    """Write a reply in MCP's words: the same data as structure and as text, images beside them, the head in `_meta`."""
    meta = {"transcript_head": reply.head}
    if reply.error is not None:
        # In `_meta`, since clients hold structured content against the tool's output schema in errors, too.
        said = TextContent(text=reply.error.text)
        return CallToolResult(content=[said], is_error=True, _meta={**meta, "error": dict(reply.error.as_reply())})
    data = dict(reply.data or {})
    content: list[ContentBlock] = [TextContent(text=json.dumps(data, ensure_ascii=False, separators=(",", ":")))]
    content += [ImageContent(data=base64.b64encode(one.data).decode(), mime_type=one.type) for one in reply.images]
    return CallToolResult(content=content, structured_content=data, _meta=meta)


def _facts(ctx: ServerRequestContext[Any, Any]) -> CallFacts:
    """Say who calls: what a client says of itself, made short."""
    params = ctx.session.client_params
    said = f"{params.client_info.name}/{params.client_info.version}" if params else ""
    return CallFacts(ctx.protocol_version, said[:LONGEST_CLIENT])
