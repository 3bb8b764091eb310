"""The official Python client takes whole attempts over stdio, in both eras of the protocol, with the verbs' scores."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, Literal

import pytest
from mcp import Client, StdioServerParameters
from support_agents import (
    BUSY,
    STUDY,
    Steps,
    by_python,
    calls_of,
    offline,
    served_project,
    server_env,
    server_words,
    told,
    whole_attempt,
)

pytestmark = pytest.mark.together
ERAS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lay out one project, whose store all attempts of this file share."""
    return served_project(tmp_path_factory.mktemp("served"))


async def through(client: Client, steps: Steps) -> dict[str, Any]:
    """Make a scripted agent's calls, again while the server is busy; each result's text is its structure."""
    tool, args = next(steps)
    try:
        while True:
            found = await client.call_tool(tool, args)
            if found.is_error and found.content[0].text.startswith(BUSY):
                continue
            assert not found.is_error, found.content
            data: dict[str, Any] = dict(found.structured_content or {})
            assert json.loads(found.content[0].text) == data
            assert found.meta and len(str(found.meta["transcript_head"])) == 64
            tool, args = steps.send(data)
    except StopIteration as done:
        result: dict[str, Any] = done.value
        return result


async def attempt(folder: Path, mode: Literal["auto", "legacy"], steps: Steps) -> dict[str, Any]:
    """Start a server without a network, connect to it, and take an attempt."""
    command, *args = [*offline(), *server_words()]
    server = StdioServerParameters(command=command, args=args, env=server_env(), cwd=folder)
    async with Client(server, mode=mode, read_timeout_seconds=60) as client:
        listed = await client.list_tools()
        assert len(listed.tools) == 7
        return await through(client, steps)


@pytest.mark.parametrize(("mode", "page"), [("auto", 50), ("legacy", 2)])
def test_an_attempt_of_either_era_has_the_scores_of_python(project: Path, mode: Any, page: int) -> None:
    """Whether the list of items comes whole or page by page, every item is asked."""
    found = asyncio.run(attempt(project, mode, whole_attempt(STUDY, f"client {mode}", page=page)))
    expected = by_python(project)
    assert expected["status"] == "scored" and len(expected["scores"]) == 3
    assert told(found) == told(expected) and (found["n_answered"], found["n_missing"]) == (8 + 1, 0)
    own = [call for call in calls_of(project / ".harness") if call["protocol"] == ERAS[mode]]
    assert len(own) > 10 and not any(call["is_error"] and call["code"] != BUSY for call in own)
