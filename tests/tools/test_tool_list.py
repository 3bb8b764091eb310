"""What an agent is told of the tools: small, closed, complete, the same every time, and kept as it was accepted."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
from needs import OnceUsed
from support import REPOSITORY
from support_served import EchoBackend

from harness.attempts.shapes import REQUESTS
from harness.digest import canonical_json
from harness_tools.tool_table import INSTRUCTIONS, TOOLS, profile_tools, tools_fingerprint

mcp, server = OnceUsed("mcp"), OnceUsed("harness_tools.server")
KEPT = REPOSITORY / "tests" / "golden" / "tools"
ANSWER = ["list_studies", "start_attempt", "list_items", "get_item", "submit_answers", "finish_attempt", "score_text"]


def nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Give every object in a schema."""
    if isinstance(value, dict):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from nodes(one)


def on_the_wire(profile: str, era: Any) -> list[dict[str, Any]]:
    """List the tools as a client receives them."""

    async def ask() -> list[dict[str, Any]]:
        async with mcp.Client(server.build_server(profile, EchoBackend()), mode=era) as client:
            found = (await client.list_tools()).tools
            return [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in found]

    return asyncio.run(ask())


@pytest.mark.parametrize("profile", TOOLS)
def test_the_tools_are_those_that_were_accepted(profile: str) -> None:
    """ACCEPT=1 writes the list anew: whoever changes it sees in the diff what agents will read."""
    path = KEPT / f"{profile}.json"
    if os.environ.get("ACCEPT"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(profile_tools(profile), indent=1, ensure_ascii=False) + "\n")
    assert profile_tools(profile) == json.loads(path.read_text())


@pytest.mark.parametrize("era", ["auto", "legacy"])
@pytest.mark.parametrize("profile", TOOLS)
def test_both_eras_list_the_same_tools_in_the_same_order(profile: str, era: str) -> None:
    assert on_the_wire(profile, era) == profile_tools(profile)


@pytest.mark.parametrize("profile", TOOLS)
def test_the_list_of_a_profile_is_small(profile: str) -> None:
    assert len(canonical_json({"tools": profile_tools(profile)})) <= 12 << 10
    assert all(60 <= len(one["description"]) <= 900 for one in profile_tools(profile))
    assert len(INSTRUCTIONS[profile].encode()) <= 1536


def test_an_agent_under_test_has_seven_tools() -> None:
    assert [one["name"] for one in profile_tools("answer")] == ANSWER == list(REQUESTS)


@pytest.mark.parametrize("profile", TOOLS)
def test_every_tool_says_what_it_does_to_the_world(profile: str) -> None:
    changing = {"start_attempt", "submit_answers", "finish_attempt", "plan_run", "start_run", "cancel_run"}
    for one in profile_tools(profile):
        assert one["annotations"] == {
            "readOnlyHint": one["name"] not in changing,
            "destructiveHint": one["name"] in ("finish_attempt", "cancel_run"),
            "idempotentHint": True,
            "openWorldHint": False,
        }
        assert one["title"]


@pytest.mark.parametrize("profile", TOOLS)
def test_schemas_are_plain_and_arguments_are_closed(profile: str) -> None:
    for one in profile_tools(profile):
        for schema in (one["inputSchema"], one["outputSchema"]):
            assert schema["type"] == "object"
            assert not [
                node for node in nodes(schema) if "$ref" in node or "$defs" in node or node.get("type") == "null"
            ]
        for node in nodes(one["inputSchema"]):
            if "properties" in node and isinstance(node["properties"], dict) and node.get("type") == "object":
                assert node["additionalProperties"] is False, one["name"]
                assert all("description" in inner or "items" in inner for inner in node["properties"].values())
        assert not [node for node in nodes(one["outputSchema"]) if node.get("additionalProperties") is False]


def test_the_fingerprint_changes_with_any_word() -> None:
    listed = profile_tools("answer")
    assert tools_fingerprint(listed) == tools_fingerprint(profile_tools("answer"))
    listed[0] = {**listed[0], "description": listed[0]["description"] + " "}
    assert tools_fingerprint(listed) != tools_fingerprint(profile_tools("answer"))


def test_the_server_has_tools_and_nothing_else() -> None:
    async def ask() -> None:
        async with mcp.Client(server.build_server("answer", EchoBackend(), "1.2")) as client:
            said = client.server_capabilities.model_dump(exclude_none=True)
            assert client.instructions == INSTRUCTIONS["answer"]
            fingerprint = tools_fingerprint(profile_tools("answer"))
            assert said == {
                "tools": {"list_changed": False},
                "extensions": {server.IDENTIFIER: {"toolsFingerprint": fingerprint}},
            }

    asyncio.run(ask())


def test_building_a_server_touches_nothing_outside_of_it() -> None:
    first, second = (server.build_server("answer", EchoBackend()) for _ in range(2))
    assert first is not second and first.extensions == second.extensions
