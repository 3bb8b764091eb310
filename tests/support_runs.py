"""A project whose runs agents may start, and what clients of the profile `run` do with it in tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support import manifest_text
from support_server import until
from support_views import AGENTS, project
from support_wire import WireClient

NAME, MAX_RUNS = "small", 9
RUNS = (
    f"runs:\n  overrides: [limit, model, seeds]\n  max_runs: {MAX_RUNS}\n  budget: {{seconds: 600, dollars: '0.50'}}\n"
)
RUNNABLE = manifest_text(40) + "shard: 45\n" + AGENTS % ", items: 4, templates: [1, 6]" + RUNS
LONG: dict[str, Any] = {}  # overrides of a run of many steps, which takes tens of seconds at least


def runnable(folder: Path) -> Path:
    """Give a project with one locked manifest that agents may run."""
    return project(folder, RUNNABLE)


def started_run(client: WireClient, key: str, **more: Any) -> dict[str, Any]:
    """Start a run, with a limit of three items if nothing else is said."""
    return patient(client, "start_run", **{"manifest": NAME, "idempotency_key": key, "overrides": {"limit": 3}, **more})


def patient(client: WireClient, tool: str, **args: Any) -> dict[str, Any]:
    """Call a tool until the server is no longer at work on it, however busy the machine is."""
    found: dict[str, Any] = {}

    def answered() -> bool:
        found.clear()
        found.update(client.call_once(tool, **args))
        return found.get("code") != "E_BUSY"

    until(answered)
    return found


def ended_run(client: WireClient, **named: str) -> dict[str, Any]:
    """Wait for the end of a run."""
    found: dict[str, Any] = {}

    def over() -> bool:
        found.clear()
        found.update(patient(client, "get_run", **named, wait_s=20))
        assert "code" not in found, found
        return bool(found["ended"])

    until(over)
    return found


def under_way(client: WireClient, run: str) -> None:
    """Wait until a run executes steps."""
    until(lambda: patient(client, "get_run", run=run)["state"] == "running")


def process_of(run: str) -> int:
    """Give the process of a run."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"harness_tools.run_process" in words and run.encode() in words:
            return int(folder.name)
    raise AssertionError(f"no process runs {run}")


def journal(folder: Path, run: str) -> list[dict[str, Any]]:
    """Read the lines of a run's journal."""
    text = (folder / ".harness" / "runs" / run / "journal.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


async def raw(session: Any, method: str, **params: Any) -> dict[str, Any]:
    """Make a request that the SDK's client has no method for, and give its result as it came."""
    from mcp_types import Request, RequestParams
    from pydantic import BaseModel, ConfigDict

    class Asked(RequestParams):
        model_config = ConfigDict(extra="allow")

    class Raw(BaseModel):
        model_config = ConfigDict(extra="allow")

    request = Request[Asked, str](method=method, params=Asked(**params))
    return dict((await session.send_request(request, Raw)).model_dump())
