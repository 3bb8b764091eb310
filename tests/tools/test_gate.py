"""The gate at tools/call, through the official client in memory, in both eras of the protocol."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

import pytest
from needs import OnceUsed
from support_served import HEAD, EchoBackend

from harness.attempts.calls import AgentReply, CallFacts

if TYPE_CHECKING:
    from mcp.types import CallToolResult

mcp, server = OnceUsed("mcp"), OnceUsed("harness_tools.server")

ERAS = ["auto", "legacy"]


def call(backend: EchoBackend, tool: str, args: dict[str, Any], era: Any = "auto") -> CallToolResult:
    """Call one tool of a server before this backend."""

    async def ask() -> CallToolResult:
        async with mcp.Client(server.build_server("answer", backend, "1"), mode=era) as client:
            found: CallToolResult = await client.call_tool(tool, args)
            return found

    return asyncio.run(ask())


@pytest.mark.parametrize("era", ERAS)
def test_arguments_reach_the_desk_as_they_were_sent(era: str) -> None:
    backend, args = EchoBackend(), {"attempt_id": 7, "evil": [1, {"gold": None}], "limit": "3", "abstain": 1, "x": 4.50}
    call(backend, "list_items", args, era)
    (tool, seen, facts), *more = backend.calls
    assert (tool, seen, more) == ("list_items", args, [])
    assert type(seen["limit"]) is str and type(seen["abstain"]) is int
    assert facts.protocol == {"auto": "2026-07-28", "legacy": "2025-11-25"}[era] and facts.client.startswith("mcp/")


@pytest.mark.parametrize("era", ERAS)
def test_an_unknown_tool_reaches_the_desk_too(era: str) -> None:
    backend = EchoBackend()
    done = call(backend, "read_gold", {"a": 1}, era)
    assert done.is_error and [one[0] for one in backend.calls] == ["read_gold"]
    text = done.content[0].text
    assert text == "E_UNKNOWN_TOOL: there is no such tool. Next: Call one of the tools that tools/list gives."
    assert done.structured_content is None and done.meta
    assert done.meta["error"] == {
        "code": "E_UNKNOWN_TOOL",
        "message": "there is no such tool",
        "next": "Call one of the tools that tools/list gives.",
        "retryable": False,
    }


@pytest.mark.parametrize("era", ERAS)
def test_every_reply_bears_the_head_of_the_log(era: str) -> None:
    for tool in ("list_items", "nothing"):
        meta = call(EchoBackend(), tool, {}, era).meta
        assert meta and meta["transcript_head"] == HEAD


def test_images_come_as_image_content() -> None:
    done = call(EchoBackend(), "score_text", {})
    image = done.content[1]
    assert image.type == "image" and image.mime_type == "image/png"
    assert base64.b64decode(image.data) == b"\x89PNG"


class FullDisk(EchoBackend):
    """A backend whose log takes no line, or fails to keep one."""

    def __init__(self, late: bool) -> None:
        super().__init__()
        self.late = late

    def call(self, tool: str, arguments: Mapping[str, Any], facts: CallFacts) -> AgentReply:
        if not self.late:
            raise OSError(28, "No space left on device", "/secret/place")
        kept: Future[None] = Future()
        kept.set_exception(OSError(5, "Input/output error", "/secret/place"))
        return AgentReply({"items": []}, None, HEAD, (), kept)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("late", [False, True])
def test_what_could_not_be_written_down_is_not_told(era: str, late: bool) -> None:
    done = call(FullDisk(late), "list_items", {}, era)
    assert done.is_error and done.meta and done.meta["error"]["code"] == "E_INTERNAL"
    assert "secret" not in done.model_dump_json() and "items" not in done.model_dump_json()


class Slow(EchoBackend):
    """A backend that waits, on a thread, until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.go, self.ended = Future[None](), Future[None](), Future[None]()

    def waits(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        return True

    def call(self, tool: str, arguments: Mapping[str, Any], facts: CallFacts) -> AgentReply:
        self.begun.set_result(None)
        self.go.result(30)
        self.ended.set_result(None)
        return super().call(tool, arguments, facts)


def test_a_call_that_the_client_gives_up_is_written_down_all_the_same() -> None:
    backend = Slow()

    async def ask() -> None:
        async with mcp.Client(server.build_server("answer", backend), mode="legacy") as client:
            task = asyncio.create_task(client.call_tool("submit_answers", {}))
            await asyncio.wrap_future(backend.begun)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await client.list_tools()).tools
            backend.go.set_result(None)
            await asyncio.wrap_future(backend.ended)

    asyncio.run(ask())
    assert len(backend.calls) == 1


def test_a_slow_call_does_not_hold_up_the_others() -> None:
    backend = Slow()

    async def ask() -> None:
        async with mcp.Client(server.build_server("answer", backend)) as client:
            slow = asyncio.create_task(client.call_tool("list_studies", {}))
            await asyncio.wrap_future(backend.begun)
            assert len((await client.list_tools()).tools) == 7
            assert not slow.done()
            backend.go.set_result(None)
            await slow

    asyncio.run(ask())
