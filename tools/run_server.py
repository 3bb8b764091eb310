"""What the server of the profile `run` has beside its tools: bounded waiting, progress, tasks, resources and prompts.

Waiting for a run sends progress to a client that asked for it, and ends with one call that is logged; a client that
goes meanwhile leaves the run alone. `io.modelcontextprotocol/tasks` is offered through the SDK's extension point: a
client that declares it gets start_run as a task, whose id is the run. Every read is answered by the gate's backend, so
that it is logged as a call is.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import Extension, MethodBinding
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    RequestParams,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import Field

from harness.attempts.calls import AgentReply
from harness.attempts.codes import AttemptError
from harness_tools.run_shapes import LONGEST_WAIT
from harness_tools.server import CallBackend, Gate, build_server, client_facts, tool_result

TASKS = "io.modelcontextprotocol/tasks"
INVALID_PARAMS, INTERNAL, NO_METHOD, LACKS_CAPABILITY = -32602, -32603, -32601, -32021
POLL_MS, LOOK = 5000, 0.5  # between two polls of a task; seconds between two looks of a call that waits
RECORD, TRANSCRIPT = "harness://runs/{run}/record", "harness://attempts/{attempt}/transcript{?begin}"
_RECORD = re.compile(r"harness://runs/([0-9A-Za-z.-]{1,64})/record")
_TRANSCRIPT = re.compile(r"harness://attempts/([0-9A-Za-z-]{1,64})/transcript(?:\?begin=([0-9]{1,9}))?")
JSON = "application/json"
Context = ServerRequestContext[Any, Any]


class PeekingBackend(CallBackend, Protocol):
    """Backend that can also return the state of a run without a line in the log."""

    def peek(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the state of a run, unlogged; raise AttemptError if it is not known."""
        ...


class RunWaiter(Extension):
    """Server extension for get_run: waits for the end of a run, and tells the client its progress meanwhile."""

    identifier = "harness/progress"

    def __init__(self, backend: PeekingBackend) -> None:
        self._backend = backend

    async def intercept_tool_call(
        self, params: CallToolRequestParams, ctx: Context, call_next: CallNext
    ) -> HandlerResult:
        """Wait as long as get_run asks for, then let the gate answer and log the call."""
        given = params.arguments or {}
        wait = given.get("wait_s")
        try:
            if params.name == "get_run" and type(wait) is int and 0 < wait <= LONGEST_WAIT:
                await self._wait(ctx, given, wait)
        except asyncio.CancelledError:
            await asyncio.shield(asyncio.ensure_future(_answered(call_next, ctx)))
            raise
        return await call_next(ctx)

    async def _wait(self, ctx: Context, given: Mapping[str, Any], wait: int) -> None:
        until, told = time.monotonic() + wait, -1
        asked = {**given, "wait_s": 0}
        while (left := until - time.monotonic()) > 0:
            try:
                state = await asyncio.to_thread(self._backend.peek, asked)
            except AttemptError as refusal:
                if refusal.name != "E_BUSY":
                    return  # the call says why
                state = {}
            if state.get("ended"):
                return
            done = int(state.get("done") or 0)
            if done > told:
                told = done
                await ctx.session.report_progress(done, state.get("total"), state.get("answers") or state.get("step"))
            await asyncio.sleep(min(LOOK, left))


async def _answered(call_next: CallNext, ctx: Context) -> None:
    await call_next(ctx)


class TaskParams(RequestParams):
    """Parameters of an MCP request about a task, which names the task."""

    task_id: str = Field(alias="taskId", max_length=64)


class RunTasks(Extension):
    """Server extension for MCP tasks: a run that was started is a task, for clients that know tasks."""

    identifier = TASKS

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    def methods(self) -> Sequence[MethodBinding]:
        """Return the MCP methods of this extension with the functions that answer them."""
        return [
            MethodBinding("tasks/get", TaskParams, self._get),
            MethodBinding("tasks/update", TaskParams, self._update),
            MethodBinding("tasks/cancel", TaskParams, self._cancel),
        ]

    async def intercept_tool_call(
        self, params: CallToolRequestParams, ctx: Context, call_next: CallNext
    ) -> HandlerResult:
        """Return a task in place of the state of a run that was started."""
        answered = await call_next(ctx)
        if params.name != "start_run" or not _declared(ctx) or not isinstance(answered, CallToolResult):
            return answered
        state = answered.structured_content
        if answered.is_error or not state:
            return answered
        return {"resultType": "task", **_task({**state, "ended": False}), "_meta": answered.meta or {}}

    async def _get(self, ctx: Context, params: TaskParams) -> dict[str, Any]:
        reply = await self._reply(ctx, params, "get_run", {"run": params.task_id})
        state = dict(reply.data or {})
        done = {"result": tool_result(reply).model_dump(mode="json", by_alias=True, exclude_none=True)}
        return _task(state) | (done if state["ended"] and state["state"] != "cancelled" else {})

    async def _update(self, ctx: Context, params: TaskParams) -> dict[str, Any]:
        """Acknowledge: a run asks its client nothing, so there is nothing that it waits for."""
        await self._reply(ctx, params, "get_run", {"run": params.task_id})
        return {}

    async def _cancel(self, ctx: Context, params: TaskParams) -> dict[str, Any]:
        await self._reply(ctx, params, "cancel_run", {"run": params.task_id, "reason": "tasks/cancel"})
        return {}

    async def _reply(self, ctx: Context, params: TaskParams, tool: str, asked: Mapping[str, Any]) -> AgentReply:
        """Return the reply to a call about a task; raise MCPError where the extension wants one."""
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            raise MCPError(code=NO_METHOD, message="Method not found", data=ctx.method)
        if not _declared(ctx):
            needed: dict[str, Any] = {"requiredCapabilities": {"extensions": {TASKS: {}}}}
            raise MCPError(code=LACKS_CAPABILITY, message="Missing required client capability", data=needed)
        return await _read(self._gate, ctx, tool, asked)


def _declared(ctx: Context) -> bool:
    """Whether a request is of the newer protocol, and its client declares the tasks extension."""
    capabilities = ctx.session.client_capabilities
    extensions = capabilities.extensions if capabilities else None
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS and TASKS in (extensions or {})


def _task(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return a run as a task; what a run is told to have failed at is the result of a task that was completed."""
    status = "working" if not state["ended"] else "cancelled" if state["state"] == "cancelled" else "completed"
    said = f"{state['state']}: {state.get('done', 0)} of {state.get('total', '?')} steps"
    return {
        "taskId": state["run"],
        "status": status,
        "statusMessage": said,
        "createdAt": state["asked"],
        "lastUpdatedAt": state.get("updated", state["asked"]),
        "ttlMs": None,
        "pollIntervalMs": POLL_MS,
    }


async def _read(gate: Gate, ctx: Context, tool: str, asked: Mapping[str, Any]) -> AgentReply:
    """Return the logged reply to a read; raise MCPError for a refusal, because such requests have no other form.

    While the server is at work on it, it is asked for again, as the client of a tool would.
    """
    until = time.monotonic() + LONGEST_WAIT
    try:
        reply = await gate.reply(ctx, tool, asked, client_facts(ctx))
        while reply.error and reply.error.name == "E_BUSY" and time.monotonic() < until:
            reply = await gate.reply(ctx, tool, asked, client_facts(ctx))
    except OSError:
        raise MCPError(code=INTERNAL, message="the server cannot write this request down") from None
    if reply.error is not None:
        code = INTERNAL if reply.error.retryable else INVALID_PARAMS
        raise MCPError(code=code, message=reply.error.text, data=dict(reply.error.as_reply()))
    return reply


def build_run_server(backend: PeekingBackend, version: str = "") -> Server[Any]:
    """Return the MCP server of the profile `run`, with which agents run manifests."""
    kept: list[Gate] = []

    def gates(gate: Gate) -> Sequence[Extension]:
        kept.append(gate)
        return [RunTasks(gate), RunWaiter(backend), gate]

    server = build_server("run", backend, version, gates)
    shelf = _Library(kept[0])
    server.add_request_handler("resources/list", PaginatedRequestParams, shelf.resources)
    server.add_request_handler("resources/templates/list", PaginatedRequestParams, shelf.templates)
    server.add_request_handler("resources/read", ReadResourceRequestParams, shelf.read)
    server.add_request_handler("prompts/list", PaginatedRequestParams, shelf.prompts)
    server.add_request_handler("prompts/get", GetPromptRequestParams, shelf.prompt)
    return server


class _Library:
    """The resources and prompts of the server: records, transcripts and the studies' wordings."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    async def resources(self, ctx: Context, _: PaginatedRequestParams) -> ListResourcesResult:
        """List the records of the newest runs that this principal asked for; others are read by their address."""
        data = (await _read(self._gate, ctx, "resources/list", {})).data or {}
        found = [
            Resource(uri=RECORD.format(run=run), name=f"record of run {run}", mime_type=JSON) for run in data["runs"]
        ]
        return ListResourcesResult(resources=found)

    async def templates(self, ctx: Context, _: PaginatedRequestParams) -> ListResourceTemplatesResult:
        """List the forms of addresses."""
        record = "the record of a run that ended: what was run, with which pins, and what came out"
        calls = "calls of an attempt of yours that ended, from a line on; not of a hidden split"
        return ListResourceTemplatesResult(
            resource_templates=[
                ResourceTemplate(uri_template=RECORD, name="record", description=record, mime_type=JSON),
                ResourceTemplate(uri_template=TRANSCRIPT, name="transcript", description=calls, mime_type=JSON),
            ]
        )

    async def read(self, ctx: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        """Read a record or a transcript."""
        asked: dict[str, Any] = {}
        if found := _RECORD.fullmatch(params.uri):
            asked = {"run": found[1]}
        elif found := _TRANSCRIPT.fullmatch(params.uri):
            asked = {"attempt": found[1], "begin": int(found[2] or 0)}
        else:
            raise MCPError(code=INVALID_PARAMS, message="there is no resource of this address")
        data = (await _read(self._gate, ctx, "resources/read", asked)).data or {}
        meta = {"sha256": data["sha256"], "whole": data["whole"]}
        told = TextResourceContents(uri=params.uri, mime_type=JSON, text=data["text"], _meta=meta)
        return ReadResourceResult(contents=[told])

    async def prompts(self, ctx: Context, _: PaginatedRequestParams) -> ListPromptsResult:
        """List the studies' sets of wordings."""
        data = (await _read(self._gate, ctx, "prompts/list", {})).data or {}
        return ListPromptsResult(prompts=[_prompt(one) for one in data["prompts"]])

    async def prompt(self, ctx: Context, params: GetPromptRequestParams) -> GetPromptResult:
        """Return one wording; fields that are not given stay as they are written."""
        asked = {"name": params.name, "arguments": params.arguments or {}}
        data = (await _read(self._gate, ctx, "prompts/get", asked)).data or {}
        message = PromptMessage(role="user", content=TextContent(text=data["text"]))
        return GetPromptResult(description=data["about"], messages=[message], _meta={"sha256": data["sha256"]})


def _prompt(one: Mapping[str, Any]) -> Prompt:
    numbers = ", ".join(map(str, one["numbers"]))
    fields = [PromptArgument(name="template", description=f"one of {numbers}; default: the first", required=False)]
    fields += [PromptArgument(name=name, description="left open if it is not given") for name in one["fields"]]
    return Prompt(name=one["name"], description=one["about"], arguments=fields)
