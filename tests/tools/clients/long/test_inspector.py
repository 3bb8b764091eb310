"""MCP Inspector's command line takes a whole attempt, one process a call: only the transcript lasts between them.

It is no part of this project: `make peers` installs it with npm, and PEERS names a folder that holds it as `npm`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support import REPOSITORY
from support_agents import (
    BUSY,
    STUDY,
    by_python,
    calls_of,
    drive,
    offline,
    served_project,
    server_env,
    server_words,
    told,
    whole_attempt,
)

pytestmark = pytest.mark.together
SECONDS = 120
ONE_WORDING = "template-1"
TOOL_ERROR = 5  # Inspector's exit code where a result is an error


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lay out one project for all calls of this file, of few items: each call starts a client and a server."""
    return served_project(tmp_path_factory.mktemp("served"), items=2)


@pytest.fixture(scope="module")
def inspector(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], dict[str, str]]:
    """Give the words that start the command line, and its environment with a home of its own; or skip."""
    folder = Path(os.environ.get("PEERS") or REPOSITORY / ".bench" / "peers") / "npm" / "node_modules"
    if not (folder / ".bin" / "mcp-inspector").exists():
        pytest.skip("MCP Inspector is not here: `make peers` installs it where there is npm")
    nodes = [str(path) for path in folder.glob("node-*/bin")]
    found = shutil.which("node", path=os.pathsep.join([*nodes, os.environ["PATH"]]))
    if found is None:
        pytest.skip("there is no Node")
    home = tmp_path_factory.mktemp("home")
    return [found, str(folder / ".bin" / "mcp-inspector"), "--cli"], {"HOME": str(home), "PATH": os.environ["PATH"]}


def inspect(inspector: tuple[list[str], dict[str, str]], folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Inspector once, without a network, against a server that it starts."""
    told = [word for name, value in server_env().items() for word in ("-e", f"{name}={value}")]
    command = [*offline(), *inspector[0], *told, "--cwd", str(folder), *server_words(), *words]
    return subprocess.run(
        command, env=inspector[1], cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
    )


def test_inspector_finds_no_fault_with_the_tools(inspector: Any, project: Path) -> None:
    for era in ("legacy", "modern"):
        done = inspect(inspector, project, "--method", "tools/list", "--strict", "--protocol-era", era)
        assert done.returncode == 0, done.stderr
        assert "Issue:" not in done.stderr, done.stderr
        assert len(json.loads(done.stdout)["tools"]) == 7


def test_an_attempt_of_one_process_a_call_has_the_scores_of_python(inspector: Any, project: Path) -> None:
    def call(tool: str, args: dict[str, Any]) -> dict[str, Any]:
        named = ("--method", "tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(args))
        while BUSY in (done := inspect(inspector, project, *named)).stdout:
            pass
        assert done.returncode == 0, done.stdout + done.stderr
        data: dict[str, Any] = json.loads(done.stdout)["structuredContent"]
        return data

    found = drive(whole_attempt(STUDY, "inspector", subset=ONE_WORDING), call)
    assert told(found) == told(by_python(project, subset=ONE_WORDING))
    assert {call["client"].partition("/")[0] for call in calls_of(project / ".harness")} >= {"python"}


def test_a_refused_call_ends_inspector_with_its_own_code(inspector: Any, project: Path) -> None:
    named = ("--method", "tools/call", "--tool-name", "list_items", "--tool-args-json", '{"attempt_id": "0"}')
    done = inspect(inspector, project, *named)
    assert done.returncode == TOOL_ERROR and "E_UNKNOWN_ATTEMPT" in done.stdout
