"""The server as other software starts it of a wheel: `uvx`, as server.json asks, and the bundle for desktop clients.

uv and mcpb are no part of this project: `make peers` installs them, and uv fetches what a wheel needs from its index.
"""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support import REPOSITORY
from support_agents import peers_python
from support_programs import brought, node
from support_views import ADDITION, project
from support_wheel import build
from support_wire import WireClient

needs("setuptools")
pytestmark = pytest.mark.together
FOLDER = REPOSITORY / "mcpb"
UNREACHED = ("Failed to fetch", "error sending request", "No solution found", "dns error")
SECONDS = 900


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project(tmp_path_factory.mktemp("served") / "project", ADDITION)


def uv(name: str = "uv") -> str:
    """Give a program of uv's, or skip."""
    found = Path(peers_python("json")).with_name(name)
    if not found.exists():
        pytest.skip("uv is not here: `make peers` again")
    return str(found)


def clean(home: Path) -> dict[str, str]:
    """Give an environment in which nothing names this checkout."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "HARNESS_", "VIRTUAL"))}
    return {**env, "HOME": str(home), "UV_PYTHON": sys.executable, "UV_PYTHON_DOWNLOADS": "never"}


def fetched(words: Sequence[str], env: dict[str, str], cwd: Path) -> None:
    """Run a command that fetches packages, or skip where there is no index."""
    done = subprocess.run(words, env=env, cwd=cwd, capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode and any(one in done.stderr for one in UNREACHED):
        pytest.skip(f"uv fetches no packages here: {done.stderr.strip()[-300:]}")
    assert done.returncode == 0, done.stderr[-3000:]


def greeted(words: Sequence[str], env: dict[str, str], cwd: Path) -> None:
    """Start a server, and see that it is ours, and which study it serves."""
    with WireClient(words, cwd=cwd, env=env) as client:
        client.hello()
        assert [one["study"] for one in client.call("list_studies")["studies"]] == ["small"]
        assert client.end() == 0


def test_uvx_starts_the_server_of_a_wheel(wheel: Path, served: Path, tmp_path: Path) -> None:
    """The words are those of server.json, the wheel in the place of the name that it is published under."""
    package = json.loads((REPOSITORY / "server.json").read_text())["packages"][0]
    [source] = package["runtimeArguments"]
    words = [
        uv(package["runtimeHint"]),
        source["name"],
        source["value"].replace("repro-harness[tools]==0.1.0", f"{wheel}[tools]"),
    ]
    env = clean(tmp_path)
    fetched([*words, package["identifier"], "--version"], env, tmp_path)
    greeted([*words, package["identifier"], "serve", "--project", str(served)], env, Path("/"))


def test_a_bundle_is_what_its_manifest_says_and_starts_the_server(wheel: Path, served: Path, tmp_path: Path) -> None:
    module = runpy.run_path(str(FOLDER / "build.py"))
    targets = [tmp_path / "one.mcpb", tmp_path / "two.mcpb"]
    for target in targets:
        module["build"](wheel, target)
    assert targets[0].read_bytes() == targets[1].read_bytes()
    unpacked = tmp_path / "a b" / "bundle"  # a client unpacks it where it likes
    with zipfile.ZipFile(targets[0]) as bundle:
        assert sorted(bundle.namelist()) == sorted(["main.py", "manifest.json", "pyproject.toml", wheel.name])
        bundle.extractall(unpacked)
    config: dict[str, Any] = json.loads((unpacked / "manifest.json").read_text())["server"]["mcp_config"]
    given = {"${__dirname}": str(unpacked), "${user_config.project}": str(served), "${user_config.profile}": "answer"}
    words = [uv(config["command"]), *(given.get(word, word) for word in config["args"])]
    env = clean(tmp_path)
    fetched([*words[:4], "python", "-c", "import harness_tools.supervisor"], env, tmp_path)
    greeted(words, env, Path("/"))


def test_the_bundles_own_tool_accepts_its_manifest(tmp_path: Path) -> None:
    program = brought("@anthropic-ai/mcpb") / "dist" / "cli" / "cli.js"
    words = [node(), str(program), "validate"]
    for change, code in ({}, 0), ({"server": {"type": "uv"}}, 1), ({"manifest_version": "9"}, 1):
        path = tmp_path / "manifest.json"
        path.write_text(json.dumps({**json.loads((FOLDER / "manifest.json").read_text()), **change}))
        done = subprocess.run([*words, str(path)], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == code, done.stdout + done.stderr


def test_a_wheel_of_another_version_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "repro_harness-9.9.9-py3-none-any.whl"
    other.write_bytes(b"")
    words = [sys.executable, str(FOLDER / "build.py"), str(other), str(tmp_path / "out.mcpb")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and "9.9.9" in done.stderr and not (tmp_path / "out.mcpb").exists()
