"""What the server of the profile `run` adds to its gate, in memory: waiting, progress, tasks, resources and prompts."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal

import pytest
from needs import OnceUsed
from support_runs import raw
from support_served import HEAD

from harness.attempts.calls import AgentReply, CallFacts
from harness.attempts.codes import AttemptError
from harness_tools.tool_table import profile_tools

mcp, types, server = OnceUsed("mcp"), OnceUsed("mcp_types"), OnceUsed("harness_tools.run_server")
extension = OnceUsed("mcp.client.extension")
RUN = "20261130T000000Z-00000001"
STATE = {"run": RUN, "manifest": "small", "key": "k", "asked": "2026-11-30T00:00:00.000Z", "next": ""}


class Fake:
    """A backend of one run, which ends at the third look; a read of anything else is refused."""

    threads = None

    def __init__(self, ends: int = 3) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.looks, self._ends, self.looked = 0, ends, threading.Event()

    def state(self) -> dict[str, Any]:
        ended = self.looks >= self._ends
        return {**STATE, "state": "done" if ended else "running", "ended": ended, "done": self.looks, "total": 3}

    def waits(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        return True

    def peek(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        self.looks += 1
        self.looked.set()
        return self.state()

    def call(self, tool: str, arguments: Mapping[str, Any], facts: CallFacts) -> AgentReply:
        self.calls.append((tool, dict(arguments)))
        if arguments.get("run", RUN) != RUN:
            return AgentReply(None, AttemptError("E_UNKNOWN_RUN", "there is no run of this id"), HEAD)
        data: dict[str, dict[str, Any]] = {
            "resources/list": {"runs": [RUN]},
            "resources/read": {"text": "{}", "sha256": "ab", "whole": True},
            "prompts/list": {"prompts": [{"name": "x/y@1", "about": "two", "numbers": [1, 2], "fields": ["a"]}]},
            "prompts/get": {"text": "words", "sha256": "cd", "about": "one"},
        }
        return AgentReply(data.get(tool, self.state()), None, HEAD)


def asking(backend: Fake, ask: Callable[[Any], Awaitable[Any]], **how: Any) -> Any:
    """Connect a client to a server before a backend, and ask."""

    async def work() -> Any:
        async with mcp.Client(server.build_run_server(backend), **how) as client:
            return await ask(client)

    return asyncio.run(work())


@pytest.mark.parametrize("era", ["auto", "legacy"])
def test_get_run_waits_for_the_end_and_tells_how_far_it_is(era: str) -> None:
    backend, told = Fake(), list[float]()

    async def heard(done: float, total: float | None, message: str | None) -> None:
        told.append(done)

    async def ask(client: Any) -> Any:
        return await client.call_tool("get_run", {"run": RUN, "wait_s": 25}, progress_callback=heard)

    found = asking(backend, ask, mode=era)
    assert found.structured_content["ended"] and told == [1, 2]
    assert backend.calls == [("get_run", {"run": RUN, "wait_s": 25})]  # one line in the log


def test_a_client_that_gives_up_waiting_leaves_one_line_and_the_run_alone() -> None:
    backend = Fake(ends=10**6)

    async def ask(client: Any) -> None:
        waiting = asyncio.create_task(client.call_tool("get_run", {"run": RUN, "wait_s": 25}))
        await asyncio.to_thread(backend.looked.wait, 30)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        for _ in range(600):
            if backend.calls:
                break
            await asyncio.sleep(0.05)

    asking(backend, ask, mode="legacy")
    assert backend.calls == [("get_run", {"run": RUN, "wait_s": 25})]


@pytest.mark.parametrize("wait", [0, -1, 26, "5", True, 1.5, None])
def test_what_is_no_wait_is_left_to_the_gate(wait: object) -> None:
    backend = Fake()
    asking(backend, lambda client: client.call_tool("get_run", {"run": RUN, "wait_s": wait}))
    assert backend.looks == 0 and backend.calls == [("get_run", {"run": RUN, "wait_s": wait})]


def test_records_transcripts_and_prompts_are_read_through_the_gate() -> None:
    backend = Fake()

    async def ask(client: Any) -> None:
        assert [one.name for one in (await client.list_tools()).tools] == [one["name"] for one in profile_tools("run")]
        (listed,) = (await client.list_resources()).resources
        (read,) = (await client.read_resource(listed.uri)).contents
        assert (read.text, read.meta) == ("{}", {"sha256": "ab", "whole": True})
        await client.read_resource(f"harness://attempts/{RUN}/transcript?begin=7")
        (prompt,) = (await client.list_prompts()).prompts
        assert [one.name for one in prompt.arguments] == ["template", "a"]
        assert (await client.get_prompt(prompt.name, {"a": "1"})).messages[0].content.text == "words"
        for uri in ("harness://runs/other/record", "file:///etc/passwd", f"harness://runs/{RUN}/record/..", "x"):
            with pytest.raises(mcp.MCPError) as caught:
                await client.read_resource(uri)
            assert caught.value.error.code == server.INVALID_PARAMS

    asking(backend, ask)
    assert ("resources/read", {"attempt": RUN, "begin": 7}) in backend.calls
    assert ("prompts/get", {"name": "x/y@1", "arguments": {"a": "1"}}) in backend.calls


def test_a_run_is_a_task_for_clients_that_say_so_and_for_no_others() -> None:
    backend, polled = Fake(ends=1), list[str]()

    class Task(types.Result):  # type: ignore[misc,name-defined]
        result_type: Literal["task"] = "task"
        task_id: str
        status: str

    async def resolve(task: Any, context: Any) -> Any:
        polled.append((await raw(context.session, "tasks/get", taskId=task.task_id))["status"])
        backend.looks = 1
        found = await raw(context.session, "tasks/get", taskId=task.task_id)
        polled.append(found["status"])
        for method in ("tasks/update", "tasks/cancel"):
            assert (await raw(context.session, method, taskId=task.task_id))["resultType"] == "complete"
        with pytest.raises(mcp.MCPError, match="no run of this id"):
            await raw(context.session, "tasks/get", taskId="20260101T000000Z-00000000")
        return types.CallToolResult.model_validate(found["result"])

    class Tasks(extension.ClientExtension):  # type: ignore[misc,name-defined]
        identifier = server.TASKS

        def claims(self) -> list[Any]:
            return [extension.ResultClaim(result_type="task", model=Task, resolve=resolve)]

    found = asking(backend, lambda client: client.call_tool("start_run", {}), extensions=[Tasks()])
    assert found.structured_content["state"] == "done" and polled == ["working", "completed"]
    assert [tool for tool, _ in backend.calls] == ["start_run", *["get_run"] * 3, "cancel_run", "get_run"]
    for how in ({}, {"mode": "legacy"}):
        plain = asking(backend, lambda client: client.call_tool("start_run", {}), **how)
        assert plain.structured_content["run"] == RUN

    async def undeclared(client: Any) -> None:
        with pytest.raises(mcp.MCPError) as caught:
            await raw(client.session, "tasks/get", taskId=RUN)
        assert caught.value.error.code == server.LACKS_CAPABILITY

    asking(backend, undeclared)
