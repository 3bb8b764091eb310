"""Other people's clients of our tools: how each is started, and a whole attempt that each takes on three studies."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support import clean_env
from support_agents import BUSY, drive, peers_python, server_env, server_words, told, whole_attempt
from support_http import HttpServer
from support_programs import Codex, Inspector, brought, node, npm_folder
from support_views import AGENTS, project

from harness.run.attempts.score import normal_form
from harness.run.attempts.view import read_view
from harness.store.attempts import read_transcript
from harness.verbs.attempts import AttemptDoor
from harness.verbs.project import Project
from harness.verbs.requests import ServeRequest
from harness_tools.tool_table import profile_tools, tools_fingerprint

PATIENCE = 300  # seconds
PROGRAMS = Path(__file__).parent / "tools" / "clients"
STUDIES = {
    "addition": """\
harness: 2
study: reliability
name: addition
about: Additions, for other people's clients.
models: {oracle: {provider: baseline, behaviour: oracle}}
datasets:
  addition: {make: reliability.addition, seed: 7, count: 40}
prompts: {set: reliability/addition@1}
"""
    + AGENTS % ", items: 10, templates: [1, 6]",
    "documents": """\
harness: 2
study: curie
name: documents
about: Documents and maps, for other people's clients.
models: {oracle: {provider: baseline, behaviour: oracle}}
datasets:
  biogr: {make: curie.demo_biogr, seed: 7, count: 12}
  dft-s: {make: curie.demo_dft-s, seed: 7, count: 8}
settings: {mode: strict}
prompts: {set: [curie/biogr@1, curie/dft-s@1]}
"""
    + AGENTS % "",
    "cards": """\
harness: 2
study: biomed
name: cards
about: Questions of biomedicine, for other people's clients.
models: {oracle: {provider: baseline, behaviour: oracle}}
datasets:
  synthetic: {make: biomed.synthetic, seed: 7, rows: 4}
settings: {mode: strict}
"""
    + AGENTS % ", items: 20",
}
PYTHON = ("python", "python-legacy", "fastmcp", "openai-agents", "inspect")
NODE = ("typescript", "typescript-2")
PROGRAMMED = ("inspector", "codex")  # clients that are programs of their own
CLIENTS = (*PYTHON, *NODE, *PROGRAMMED)
# What they speak. Over stdio Inspector starts a server for each call: `test_inspector.py` takes such an attempt.
OVER = dict.fromkeys(CLIENTS, ("stdio", "http")) | {"inspector": ("http",)}
MODULES = {"fastmcp": "fastmcp", "openai-agents": "agents", "inspect": "inspect_ai"}


def client_project(folder: Path) -> Path:
    """Write and lock the project of three studies, of which an attempt asks 20 items or more."""
    return project(folder, *(text.replace("calls: 100", "calls: 1000") for text in STUDIES.values()))


@dataclass(frozen=True)
class Sitting:
    """What a whole attempt ended with, its normal form, and how long it took."""

    ended: Mapping[str, Any]
    form: Mapping[str, Any]
    asked: int
    seconds: float
    protocol: str  # as the transcript has it


class Carrier:
    """A client's process, which carries calls."""

    def __init__(self, name: str, place: Mapping[str, Any], home: Path) -> None:
        env = clean_env({"HOME": str(home), "INSPECT_LOG_DIR": str(home), "PYTHONWARNINGS": "ignore"})
        self._said = home / f"{name}.stderr"
        with self._said.open("wb") as said:
            self.process = subprocess.Popen(
                [*_words(name), name, json.dumps(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=said, env=env, cwd=home,
            )  # fmt: skip
        self.about = self._read()

    def ask(self, tool: str, args: Mapping[str, Any], **more: float) -> dict[str, Any]:
        """Have one call carried; `seconds` is the client's timeout, `cancel` when it cancels the call."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"tool": tool, "args": args, **more}).encode() + b"\n")
        self.process.stdin.flush()
        return self._read()

    def _read(self) -> dict[str, Any]:
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, self._said.read_text()[-3000:]
        found: dict[str, Any] = json.loads(line)
        return found

    def close(self) -> None:
        """Let the client end as it does when its program ends."""
        watch = threading.Timer(PATIENCE, self.process.kill)
        watch.start()
        self.process.communicate()
        watch.cancel()


Carries = Carrier | Inspector | Codex


def carried_call(carrier: Carries, tool: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Have one call carried, again while the server is busy, and give its data."""
    end = time.monotonic() + PATIENCE
    while BUSY in (found := carrier.ask(tool, args)).get("error", ""):
        assert time.monotonic() < end
        time.sleep(0.3)
    assert "data" in found, found
    data: dict[str, Any] = found["data"]
    return data


@contextmanager
def carried(name: str, transport: str, folder: Path, home: Path) -> Iterator[Carries]:
    """Start a client with a server over `stdio` or `http`."""
    if transport == "http":
        with HttpServer(folder) as server, _started(name, {"url": server.url, "headers": {"x-test": "1"}}, home) as one:
            yield one
        return
    command, *args = server_words()
    place = {"command": command, "args": args, "env": server_env(), "cwd": str(folder)}
    with _started(name, place, home) as one:
        yield one


@contextmanager
def _started(name: str, place: Mapping[str, Any], home: Path) -> Iterator[Carries]:
    if name == "codex":
        codex = Codex(home)
        try:
            codex.open(place)
            yield codex
        finally:
            codex.close()
        return
    carrier = Inspector(place, home) if name == "inspector" else Carrier(name, place, home)
    yield carrier
    carrier.close()


def _words(name: str) -> list[str]:
    """Spell the command that carries calls with a client, or skip if it is not here."""
    if name in PYTHON:
        return [peers_python("mcp", *([MODULES[name]] if name in MODULES else [])), str(PROGRAMS / "carrier.py")]
    package = {"typescript": "sdk", "typescript-2": "client"}[name]
    brought(f"@modelcontextprotocol/{package}")
    return [node(), str(shutil.copy(PROGRAMS / "carrier.mjs", npm_folder() / "carrier.mjs"))]


def sit(carrier: Carries, folder: Path, study: str, key: str) -> Sitting:
    """Take a whole attempt with a client; gives what it ended with."""
    return sat(lambda tool, args: carried_call(carrier, tool, args), folder, study, key)


def sat(carry: Callable[[str, dict[str, Any]], dict[str, Any]], folder: Path, study: str, key: str) -> Sitting:
    """Take a whole attempt by calls that anything carries."""
    attempts: list[str] = []

    def call(tool: str, args: dict[str, Any]) -> dict[str, Any]:
        found = carry(tool, args)
        attempts.extend([found["attempt_id"]] if tool == "start_attempt" else [])
        return found

    since = time.monotonic()
    ended = drive(whole_attempt(study, key), call)
    seconds, [attempt] = time.monotonic() - since, attempts
    events = read_transcript(Project(folder).open(), attempt).events
    protocol = str(next(one["protocol"] for one in events if one["event"] == "call"))
    return Sitting(told(ended), form_of(folder, attempt), int(ended["n_answered"]), seconds, protocol)


def by_verbs(folder: Path, study: str) -> Sitting:
    """Take the same attempt with the Python verbs, by which every client is judged."""
    tools = tools_fingerprint(profile_tools("answer"))
    with AttemptDoor(Project(folder), ServeRequest(engine="local"), tools=tools) as door:
        return sat(door.call, folder, study, f"verbs {time.time_ns()}")


def form_of(folder: Path, attempt: str) -> Mapping[str, Any]:
    """Give the normal form of an attempt's transcript, over its view."""
    store = Project(folder).open()
    events = read_transcript(store, attempt).events
    view = read_view(store, events[0]["view"])
    assert view
    return normal_form(events, [json.loads(line)["key"] for line in view.items_file.read_bytes().splitlines()[1:]])
