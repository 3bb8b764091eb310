"""What `harness serve --print-config` prints for each client, read back by the format that the client reads."""

from __future__ import annotations

import ast
import json
import shlex
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from support import harness
from support_scored import open_project
from support_wire import WireClient, environment

from harness.cli.attempts import CLIENTS, client_config, server_command

AWKWARD = ["/opt/a b/harness", "serve", "--project", '/data/"x" \\ é 🜚 \x7f\t$HOME', "--profile", "audit"]


def keywords(text: str, function: str) -> dict[str, Any]:
    """Give the arguments with which a Python text calls a function, by name; all are literals."""
    calls = [one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Call)]
    [call] = [one for one in calls if isinstance(one.func, ast.Name) and one.func.id == function]
    return {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}


def read_back(client: str, text: str) -> list[str]:
    """Read a client's settings as the client does; gives the command that it starts."""
    if client == "codex":
        server = tomllib.loads(text)["mcp_servers"]["harness"]
    elif client == "openai-agents":
        server = keywords(text, "MCPServerStdio")["params"]
    elif client == "inspect":
        server = keywords(text, "mcp_server_stdio")
    else:
        server = json.loads(text)["servers" if client == "vscode" else "mcpServers"]["harness"]
    return [server["command"], *server["args"]]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_reads_the_very_command_that_was_meant(client: str) -> None:
    config = client_config(client, AWKWARD)
    assert read_back(client, config.text) == AWKWARD
    assert config.place
    if config.command and "--add-mcp" in config.command:
        added = json.loads(shlex.split(config.command)[-1])
        assert [added["command"], *added["args"]] == AWKWARD
    elif config.command:
        words = shlex.split(config.command)
        assert words[words.index("--") + 1 :] == AWKWARD


def test_codex_asks_at_each_call_only_where_calls_start_runs() -> None:
    for words, mode in ((AWKWARD, "approve"), ([*AWKWARD[:-1], "run"], None)):
        server = tomllib.loads(client_config("codex", words).text)["mcp_servers"]["harness"]
        assert server.get("default_tools_approval_mode") == mode


def test_a_client_that_gives_up_early_is_told_to_wait() -> None:
    text = client_config("openai-agents", AWKWARD).text
    assert keywords(text, "MCPServerStdio")["client_session_timeout_seconds"] >= 10


@pytest.mark.long
def test_what_is_printed_starts_the_server_from_any_folder(tmp_path: Path) -> None:
    folder = open_project(tmp_path / "project").folder
    done = harness(
        "serve", "manifests/small.yaml", "--project", folder, "--print-config", "cursor", cwd=tmp_path, check=0
    )
    command = read_back("cursor", done.stdout)
    assert command[1:] == ["serve", "--project", str(folder), str(folder / "manifests" / "small.yaml")]
    assert ".cursor/mcp.json" in done.stderr
    with WireClient(command, cwd=Path("/"), env=environment()) as client:
        client.hello()
        assert [one["study"] for one in client.call("list_studies")["studies"]] == ["small"]
        assert client.end() == 0


def test_a_client_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    folder = open_project(tmp_path / "project").folder
    done = harness("serve", "--print-config", "emacs", cwd=folder, check=2)
    assert "openai-agents" in done.stderr and done.stdout == ""


def test_without_an_installed_program_the_interpreter_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert server_command(tmp_path, {}, [])[:4] == [str(tmp_path / "python"), "-m", "harness.cli.entry", "serve"]
