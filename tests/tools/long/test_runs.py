"""Runs over tools, by the SDK's own client and by none: started, watched, found again, stopped, killed, and read."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.extension import advertise
from support import REPOSITORY, harness
from support_runs import LONG, NAME, ended_run, journal, patient, process_of, raw, runnable, started_run, under_way
from support_server import answers, children, gone, items, server, started, until
from support_wire import environment

from harness.digest import sha256
from harness_tools.run_server import LACKS_CAPABILITY, TASKS
from harness_tools.tool_table import profile_tools

pytestmark = pytest.mark.together
PROFILE = ("--profile", "run")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return runnable(tmp_path_factory.mktemp("runs") / "project")


def serving(folder: Path) -> StdioServerParameters:
    """Say how the SDK's client starts the server."""
    return StdioServerParameters(
        command=sys.executable, args=["-m", "harness_tools", "--project", str(folder), *PROFILE], env=environment()
    )


async def call(client: Client, tool: str, **args: Any) -> dict[str, Any]:
    """Call a tool until the server is no longer at work on it; hold the result against the listed schema."""
    told: list[float] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append(progress)

    while True:
        found = await client.call_tool(tool, args, progress_callback=heard)
        error = (found.meta or {}).get("error") if found.is_error else None
        if not error or error["code"] != "E_BUSY":
            break
    if error:
        return dict(error)
    data: dict[str, Any] = found.structured_content or {}
    (listed,) = [one for one in profile_tools("run") if one["name"] == tool]
    assert set(listed["outputSchema"]["required"]) <= data.keys() <= set(listed["outputSchema"]["properties"])
    return {**data, "_told": told}


def test_the_sdks_client_plans_starts_watches_and_reads_a_run(folder: Path) -> None:
    async def walk() -> str:
        async with Client(serving(folder)) as client:
            (offered,) = (await call(client, "list_manifests"))["manifests"]
            assert (offered["manifest"], offered["overrides"]) == (NAME, ["limit", "model", "seeds"])
            plan = await call(client, "plan_run", manifest=NAME, overrides={"limit": 3})
            assert plan["within_budget"] and plan["lock_fits"] and plan["steps"]["rerun"] == 2
            fewer = await call(client, "plan_run", manifest=NAME, overrides={"limit": 3, "model": "oracle"})
            assert fewer["steps"]["rerun"] == 1  # of a manifest that the override derives
            said = {"manifest": NAME, "idempotency_key": "walk", "overrides": {"limit": 3}}
            run = (await call(client, "start_run", **said))["run"]
            assert (await call(client, "start_run", **said))["run"] == run
            told, state = list[float](), dict[str, Any]()
            while not state.get("ended"):
                state = await call(client, "get_run", run=run, wait_s=25)
                told += state["_told"]
            assert state["state"] == "done" and told and told == sorted(told)
            scored = await call(client, "scores", run=run, limit=2)
            assert (len(scored["scores"]), scored["next_offset"], scored["limit"]) == (2, 2, 3)
            parted = await call(client, "compare", run_a=run, models=["noisy-oracle", "oracle"], limit=1)
            assert parted["lines"] and len(parted["items"]) == min(1, parted["n_items"])
            assert (await call(client, "claims"))["n_claims"] == 0
            (record,) = (await client.list_resources()).resources
            assert len((await client.list_resource_templates()).resource_templates) == 2
            (read,) = (await client.read_resource(record.uri)).contents
            kept = (folder / ".harness" / "runs" / run / "record.json").read_text()
            assert (read.text, read.meta["sha256"]) == (kept, sha256(kept.encode()))  # type: ignore[index]
            prompts = (await client.list_prompts()).prompts
            assert {"reliability/addition@1", "reliability/science@1"} <= {one.name for one in prompts}
            given = {"template": "2", "a": "12", "b": "{a}"}
            wording = await client.get_prompt("reliability/addition@1", given)
            assert wording.messages[0].content.text == "12+{a}="
            for name, more in (("reliability/none@1", {}), ("reliability/addition@1", {"gold": "1"})):
                with pytest.raises(MCPError):
                    await client.get_prompt(name, more)
            return str(run)

    run = asyncio.run(walk())
    first, record = journal(folder, run)[0], json.loads((folder / ".harness/runs" / run / "record.json").read_text())
    assert first["asked"] == record["asked"] == {"principal": f"local:{os.geteuid()}", "key": "walk"}
    for words in (("audit", run, "--level", "hashes"), ("export", run, "-o", "run.tar"), ("audit", "run.tar")):
        harness(*words, cwd=folder, check=0)
    check = [sys.executable, str(REPOSITORY / "tools" / "verify_bundle.py"), str(folder / "run.tar")]
    subprocess.run(check, check=True, capture_output=True)  # who wrote it read the format alone
    logs = [one.read_text() for one in (folder / ".harness" / "sessions").iterdir()]
    assert any('"tool":"resources/read"' in text and '"tool":"prompts/get"' in text for text in logs)


def test_a_client_with_the_tasks_extension_gets_a_run_as_a_task(folder: Path) -> None:
    async def walk() -> None:
        said = {"manifest": NAME, "idempotency_key": "task", "overrides": {"limit": 3}}
        async with Client(serving(folder), extensions=[advertise(TASKS)]) as client:
            assert client.server_capabilities.extensions and TASKS in client.server_capabilities.extensions
            task: dict[str, Any] = {}
            while "taskId" not in task:  # the server may be at work on the first call for longer than a call may take
                task = await raw(client.session, "tools/call", name="start_run", arguments=said)
            assert (task["resultType"], task["status"], task["ttlMs"]) == ("task", "working", None)
            found: dict[str, Any] = {"status": "working"}
            while found["status"] == "working":
                await asyncio.sleep(0.5)
                found = await raw(client.session, "tasks/get", taskId=task["taskId"])
                assert found["resultType"] == "complete"
            assert found["status"] == "completed" and found["result"]["structuredContent"]["state"] == "done"
            await raw(client.session, "tasks/update", taskId=task["taskId"], inputResponses={})
            await raw(client.session, "tasks/cancel", taskId=task["taskId"])  # too late, and no harm
            with pytest.raises(MCPError, match="no run of this id"):
                await raw(client.session, "tasks/get", taskId="20260101T000000Z-00000000")
        async with Client(serving(folder)) as client:  # one that does not declare the extension
            assert (await call(client, "start_run", **said))["run"] == task["taskId"]
            with pytest.raises(MCPError) as caught:
                await raw(client.session, "tasks/get", taskId=task["taskId"])
            assert caught.value.error.code == LACKS_CAPABILITY

    asyncio.run(walk())


def test_a_run_outlives_its_server_and_is_found_by_its_key(folder: Path) -> None:
    with server(folder, *PROFILE) as first:
        run = started_run(first, "outlives")["run"]
        asked = {"name": "get_run", "arguments": {"run": run, "wait_s": 25}}
        first.begin("tools/call", **asked)  # nobody will hear the answer
        family = [first.process.pid, *children(first.process.pid).values()]
        for pid in family:
            os.kill(pid, signal.SIGKILL)
        until(lambda: all(map(gone, family)))
    with server(folder, *PROFILE) as second:
        found = ended_run(second, idempotency_key="outlives")
        assert (found["run"], found["state"]) == (run, "done")
        assert started_run(second, "outlives")["resumed"] is True
        assert started_run(second, "outlives", overrides={})["code"] == "E_IDEMPOTENCY_MISMATCH"
    with server(folder, *PROFILE, program="support_stranger") as other:
        assert (
            patient(other, "get_run", run=run)["code"] == patient(other, "scores", run=run)["code"] == "E_UNKNOWN_RUN"
        )
        assert (
            patient(other, "compare", run_a=run)["code"]
            == patient(other, "cancel_run", run=run)["code"]
            == "E_UNKNOWN_RUN"
        )
        assert other.ask("resources/read", uri=f"harness://runs/{run}/record")["error"]["code"] == -32602
        assert other.ask("resources/list")["result"]["resources"] == []


def test_a_run_that_is_stopped_killed_or_too_dear_says_so(folder: Path) -> None:
    with server(folder, *PROFILE) as client:
        slow, dear = (started_run(client, key, overrides=LONG, **more)["run"] for key, more in ENDS)
        assert started_run(client, "third")["code"] == "E_RUNS_FULL"
        under_way(client, slow)
        patient(client, "cancel_run", run=slow, reason="enough")
        found = ended_run(client, run=slow)
        assert (found["state"], found["why"]) == ("cancelled", "it was asked to stop")
        found = ended_run(client, run=dear)
        assert (found["state"], found["why"]) == ("over-budget", "its 1 seconds are over")
        hit = started_run(client, "killed", overrides=LONG)["run"]
        until((folder / ".harness" / "runs" / hit / "journal.jsonl").exists)
        os.kill(process_of(hit), signal.SIGKILL)
        found = ended_run(client, run=hit)
        assert found["state"] == "killed" and "new key" in found["next"]
        refused = patient(client, "scores", run=hit)
        assert refused["code"] == "E_UNKNOWN_RUN" and "get_run" in refused["next"]
    for line in (one for one in journal(folder, hit) if one["event"] == "run.started"):
        assert line["asked"]["key"] == "killed"


ENDS: tuple[tuple[str, dict[str, Any]], ...] = (("slow", {}), ("dear", {"budget_s": 1}))


def test_transcripts_of_ended_attempts_are_resources_without_their_secrets(folder: Path) -> None:
    with server(folder) as agent:
        attempt = started(agent, "read later")
        names = items(agent, attempt)
        agent.call("submit_answers", attempt_id=attempt, answers=answers((names[0], "7")))
        uri = f"harness://attempts/{attempt}/transcript"
        with server(folder, *PROFILE) as client:
            assert "is open" in client.ask("resources/read", uri=uri)["error"]["message"]
            agent.call("finish_attempt", attempt_id=attempt)
            (told,) = client.ask("resources/read", uri=uri)["result"]["contents"]
            lines = json.loads(told["text"])["lines"]
            assert lines[0]["event"] == "attempt.started" and lines[-1]["event"] == "attempt.closed"
            assert not {"secret", "canary", "view", "idempotency"} & lines[0].keys()
            (rest,) = client.ask("resources/read", uri=f"{uri}?begin=1")["result"]["contents"]
            assert json.loads(rest["text"])["lines"] == lines[1:]
