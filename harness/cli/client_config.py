"""What a person gives to a client of agents' tools so that it starts this server: `harness serve --print-config`.

Each client has a format of its own: JSON or TOML to paste into its file of settings, or Python for a framework. The
text on stdout is that and nothing else, so it can be written into a file; where it belongs is said on stderr. Paths are
absolute, because a client starts its servers in any folder and with few variables.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

NAME = "harness"  # what the server is called in a client
PATIENCE = 30  # seconds for a client that gives up a call after 5 unless it is told: the first call may come near that


@dataclass(frozen=True)
class ClientConfig:
    """What a client is given: the text, where it belongs, and a command that does the same, if the client has one."""

    text: str
    place: str
    command: str = ""

    @property
    def told(self) -> str:
        """Sentence that says in which file or place of the client the text belongs."""
        return f"paste this into {self.place}" + (f"; or run: {self.command}" if self.command else "")


def server_command(project: Path, values: Mapping[str, str], manifests: Sequence[str]) -> list[str]:
    """Return the command that serves a project's studies, whatever folder it is started in."""
    program = Path(sys.executable).with_name(NAME)
    start = [str(program)] if os.access(program, os.X_OK) else [sys.executable, "-m", "harness.cli.entry"]
    options = [word for name, value in values.items() for word in (f"--{name}", value)]
    return [*start, "serve", "--project", str(project), *options, *manifests]


def client_config(client: str, command: Sequence[str]) -> ClientConfig:
    """Return the configuration with which one of `CLIENTS` starts the server by this command."""
    return CLIENTS[client](list(command))


def _server(command: list[str]) -> dict[str, object]:
    return {"command": command[0], "args": command[1:]}


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _claude(command: list[str]) -> ClientConfig:
    text = _json({"mcpServers": {NAME: {"type": "stdio", **_server(command)}}})
    return ClientConfig(text, ".mcp.json in the folder of your work", f"claude mcp add {NAME} -- {shlex.join(command)}")


def _cursor(command: list[str]) -> ClientConfig:
    return ClientConfig(_json({"mcpServers": {NAME: _server(command)}}), ".cursor/mcp.json or ~/.cursor/mcp.json")


def _vscode(command: list[str]) -> ClientConfig:
    server = {"type": "stdio", **_server(command)}
    added = shlex.join(["code", "--add-mcp", json.dumps({"name": NAME, **server})])
    return ClientConfig(_json({"servers": {NAME: server}}), ".vscode/mcp.json", added)


def _codex(command: list[str]) -> ClientConfig:
    lines = [
        f"[mcp_servers.{NAME}]",
        f"command = {_toml(command[0])}",
        f"args = [{', '.join(map(_toml, command[1:]))}]",
    ]
    if "run" not in command:  # else `codex exec` refuses start_attempt, and a person is asked at each call
        lines.append('default_tools_approval_mode = "approve"')
    return ClientConfig("\n".join(lines), "~/.codex/config.toml", f"codex mcp add {NAME} -- {shlex.join(command)}")


def _toml(text: str) -> str:
    """Return a text as a string of TOML, whose escapes are those of JSON in ASCII but for astral characters."""
    escaped = (f"\\U{ord(sign):08x}" if ord(sign) > 0xFFFF else json.dumps(sign)[1:-1] for sign in text)
    return '"' + "".join("\\u007f" if sign == "\x7f" else sign for sign in escaped) + '"'


def _gemini(command: list[str]) -> ClientConfig:
    text = _json({"mcpServers": {NAME: _server(command)}})
    return ClientConfig(text, ".gemini/settings.json in the folder of your work, or ~/.gemini/settings.json")


def _openai_agents(command: list[str]) -> ClientConfig:
    lines = [
        "from agents import Agent",
        "from agents.mcp import MCPServerStdio",
        "",
        f"{NAME} = MCPServerStdio(",
        f"    name={NAME!r},",
        f"    params={_server(command)!r},",
        f"    client_session_timeout_seconds={PATIENCE},",
        ")",
        f'# async with {NAME}: agent = Agent(name="…", mcp_servers=[{NAME}])',
    ]
    return ClientConfig("\n".join(lines), "your program (pip install openai-agents)")


def _inspect(command: list[str]) -> ClientConfig:
    lines = [
        "from inspect_ai.tool import mcp_server_stdio",
        "",
        f"{NAME} = mcp_server_stdio(name={NAME!r}, command={command[0]!r}, args={command[1:]!r})",
        f"# solver=react(tools=[{NAME}])",
    ]
    return ClientConfig("\n".join(lines), "your task (pip install inspect-ai mcp)")


CLIENTS: Mapping[str, Callable[[list[str]], ClientConfig]] = {
    "claude": _claude,
    "cursor": _cursor,
    "vscode": _vscode,
    "codex": _codex,
    "gemini": _gemini,
    "openai-agents": _openai_agents,
    "inspect": _inspect,
}
