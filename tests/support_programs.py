"""Clients of our tools that are programs of their own: MCP Inspector's command line, and Codex's.

Inspector starts a process for each call. Codex is an agent: the model that it asks decides which calls are made. Here
that model is a script behind our gateway, which answers each of Codex's requests with the call that a test wants next.
Both carry calls as those of `support_clients` do.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

import pytest
from support import REPOSITORY, clean_env, command

from harness.cli.attempts import client_config

PATIENCE = 300  # seconds
SPACE = "mcp__harness"  # what Codex calls the tools of the server that its settings name so
HARMLESS = "get_goal"  # a tool of Codex's own, called while the server's tools are not there yet
OUTPUT = "Output:\n"  # what Codex writes before a tool's result


def npm_folder() -> Path:
    """Give the folder in which `make peers` puts what npm brings."""
    return Path(os.environ.get("PEERS") or REPOSITORY / ".bench" / "peers") / "npm"


def node() -> str:
    """Give the Node that npm brought, or that of this machine, or skip."""
    brought = [str(path) for path in (npm_folder() / "node_modules").glob("node-*/bin")]
    found = shutil.which("node", path=os.pathsep.join([*brought, os.environ["PATH"]]))
    if found is None:
        pytest.skip("there is no Node")
    return found


def brought(package: str) -> Path:
    """Give the folder of a package that npm brought, or skip."""
    found = npm_folder() / "node_modules" / package
    if not found.exists():
        pytest.skip(f"{package} is not here: `make peers` installs it where there is npm")
    return found


class Inspector:
    """MCP Inspector's command line: each call is a process, which connects, calls and ends."""

    def __init__(self, place: Mapping[str, Any], home: Path) -> None:
        number = json.loads((brought("@modelcontextprotocol/inspector") / "package.json").read_text())["version"]
        self.about = {"client": "inspector", "version": number, "protocol": ""}
        self._env = clean_env({"HOME": str(home)})
        self._home = home
        self._words = [node(), str(npm_folder() / "node_modules" / ".bin" / "mcp-inspector"), "--cli"]
        if "url" in place:
            told = [word for name, value in place["headers"].items() for word in ("--header", f"{name}: {value}")]
            self._words += ["--server-url", place["url"], "--transport", "http", *told]
        else:
            told = [word for name, value in place["env"].items() for word in ("-e", f"{name}={value}")]
            self._words += [*told, "--cwd", place["cwd"], place["command"], *place["args"]]

    def ask(self, tool: str, args: Mapping[str, Any], **more: float) -> dict[str, Any]:
        """Have one call carried; `seconds` is its timeout until it is connected, `cancel` when it is interrupted."""
        words = [*self._words, "--method", "tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(args)]
        if "seconds" in more:
            words += ["--connect-timeout", str(max(1, round(1000 * more["seconds"])))]
        process = subprocess.Popen(
            words, env=self._env, cwd=self._home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        if "cancel" in more:
            time.sleep(more["cancel"])
            process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=PATIENCE)
        try:
            result = json.loads(out)
        except ValueError:
            return {"gave_up": f"exit {process.returncode}: {said.strip()[-300:]}"}
        return (
            {"error": result["content"][0]["text"]} if result.get("isError") else {"data": result["structuredContent"]}
        )

    def close(self) -> None:
        """Do nothing: no process lasts between two calls."""


class Codex:
    """Codex's command line, and the model that it asks through our gateway."""

    def __init__(self, home: Path) -> None:
        self.program = _codex()
        said = subprocess.run([self.program, "--version"], capture_output=True, text=True, check=True)
        self.about = {"client": "codex", "version": said.stdout.split()[-1], "protocol": ""}
        self._home, self._open = home, contextlib.ExitStack()
        self._sittings = 0
        self._sitting: _Sitting | None = None

    def open(self, place: Mapping[str, Any]) -> None:
        """Start the script and the gateway before it; `close` ends them."""
        self._place = place
        self._model = self._open.enter_context(_script())
        self._url = self._open.enter_context(_gateway(self._model.url, self._home))

    def ask(self, tool: str, args: Mapping[str, Any], **more: float) -> dict[str, Any]:
        """Have one call carried; `seconds` is the limit of its server's calls, `cancel` when it is interrupted.

        Both are of a whole process of Codex, so that another one carries such a call.
        """
        if more:
            with self._begun(more.get("seconds")) as sitting:
                return sitting.ask(tool, args, more.get("cancel"))
        self._sitting = self._sitting or self._open.enter_context(self._begun())
        return self._sitting.ask(tool, args)

    @contextlib.contextmanager
    def _begun(self, seconds: float | None = None) -> Iterator[_Sitting]:
        self._sittings += 1
        name = f"scripted-{self._sittings}"
        folder = self._home / name
        folder.mkdir()
        (folder / "config.toml").write_text(self._settings(name, seconds))
        yield (sitting := _Sitting(self.program, folder, self._model.of(name)))
        sitting.end()

    def _settings(self, name: str, seconds: float | None) -> str:
        """Give Codex's settings: the gateway as its provider, and the server as `--print-config codex` spells it."""
        lines = [
            f'model = "{name}"',
            'model_provider = "gateway"',
            'approval_policy = "never"',
            "[model_providers.gateway]",
            'name = "gateway"',
            f'base_url = "{self._url["OPENAI_BASE_URL"]}"',
            'env_key = "OPENAI_API_KEY"',
            'wire_api = "responses"',
        ]
        if "url" in self._place:
            spelled = [f'"{key}" = "{value}"' for key, value in self._place["headers"].items()]
            server = f'[mcp_servers.harness]\nurl = "{self._place["url"]}"\nhttp_headers = {{{", ".join(spelled)}}}\n'
            server += 'default_tools_approval_mode = "approve"'
        else:
            words = [self._place["command"], *self._place["args"], "--project", self._place["cwd"]]
            server = client_config("codex", words).text
            server += "".join(f"\nenv.{key} = {json.dumps(value)}" for key, value in self._place["env"].items())
        limit = f"tool_timeout_sec = {seconds}" if seconds is not None else "tool_timeout_sec = 60"
        (self._home / "key").write_text(self._url["OPENAI_API_KEY"])
        return "\n".join([*lines, server, limit, "startup_timeout_sec = 60", ""])

    def close(self) -> None:
        """Let Codex's model say that it is done, and end all that was started."""
        self._open.close()


class _Sitting:
    """One process of Codex, from its prompt to its end."""

    def __init__(self, program: str, folder: Path, wire: _Wire) -> None:
        self._wire, self._said = wire, folder / "codex.log"
        env = clean_env({"HOME": str(folder), "CODEX_HOME": str(folder)})
        env["OPENAI_API_KEY"] = (folder.parent / "key").read_text()
        words = [program, "exec", "--strict-config", "--skip-git-repo-check", "--json", "--sandbox", "read-only"]
        with self._said.open("wb") as said:
            self.process = subprocess.Popen(
                [*words, "Take the study that you are told."], stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                env=env, cwd=folder,
            )  # fmt: skip
        self._calls = 0
        self._asked = self._next()
        while not _named(self._asked, SPACE):  # the server is still starting
            time.sleep(0.3)
            self._said_of(HARMLESS, {}, "")

    def ask(self, tool: str, args: Mapping[str, Any], cancel: float | None = None) -> dict[str, Any]:
        """Have the model call a tool of the server, and give what the model is told of it."""
        if cancel is not None:
            self._wire.answers.put(self._call(tool, args, SPACE))
            time.sleep(cancel)
            self.process.send_signal(signal.SIGINT)
            self.process.wait(PATIENCE)
            return {"gave_up": f"exit {self.process.returncode}"}
        text = self._said_of(tool, args, SPACE)
        told = text.partition(OUTPUT)[2]
        try:
            found = json.loads(told)
        except ValueError:
            kind = "error" if told.startswith("E_") else "gave_up"
            return {kind: told or text}
        return {"data": found}

    def _said_of(self, tool: str, args: Mapping[str, Any], space: str) -> str:
        """Have the model call a tool, and give the text of its result as the model reads it."""
        self._wire.answers.put(call := self._call(tool, args, space))
        self._asked = self._next()
        [told] = [one for one in self._asked["input"] if one.get("call_id") == call["call_id"] and "output" in one]
        output = told["output"]
        return output if isinstance(output, str) else "\n".join(part.get("text", "") for part in output)

    def _call(self, tool: str, args: Mapping[str, Any], space: str) -> dict[str, Any]:
        self._calls += 1
        named = {"namespace": space} if space else {}
        return {
            "type": "function_call", "id": f"fc_{self._calls}", "call_id": f"call_{self._calls}", "name": tool,
            "arguments": json.dumps(args), "status": "completed", **named,
        }  # fmt: skip

    def _next(self) -> dict[str, Any]:
        """Wait for Codex's next request."""
        end = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(queue.Empty):
                return self._wire.asked.get(timeout=0.5)
            assert self.process.poll() is None and time.monotonic() < end, self._said.read_text()[-3000:]

    def end(self) -> None:
        """Let the model say that it is done, and Codex end."""
        if self.process.poll() is None:
            said = {"type": "output_text", "text": "done", "annotations": []}
            message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [said]}
            self._wire.answers.put(message)
            assert self.process.wait(PATIENCE) == 0, self._said.read_text()[-3000:]


def _named(asked: Mapping[str, Any], space: str) -> bool:
    return any(one.get("type") == "namespace" and one.get("name") == space for one in asked["tools"])


class _Wire:
    """What one process of Codex asks its model, and the items that the model answers with."""

    def __init__(self) -> None:
        self.asked: queue.Queue[dict[str, Any]] = queue.Queue()
        self.answers: queue.Queue[dict[str, Any]] = queue.Queue()


class _Model(ThreadingHTTPServer):
    """A model behind OpenAI's Responses API, whose answers are put into a queue."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _ModelHandler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"
        self._wires: dict[str, _Wire] = {}

    def of(self, name: str) -> _Wire:
        """Give the wire of the process whose model has this name."""
        return self._wires.setdefault(name, _Wire())


class _ModelHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a request with the next item, once a test has put it."""
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        wire = cast(_Model, self.server).of(asked["model"])
        wire.asked.put(asked)
        try:
            item = wire.answers.get(timeout=PATIENCE)
        except queue.Empty:
            return
        used = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        whole = {"id": f"resp_{item['id']}", "object": "response", "status": "completed", "model": asked["model"]}
        body = json.dumps({**whole, "created_at": 0, "output": [item], "usage": {**used, **details}}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def _script() -> Iterator[_Model]:
    with _Model() as model:
        thread = threading.Thread(target=model.serve_forever, daemon=True)
        thread.start()
        try:
            yield model
        finally:
            model.shutdown()
            thread.join()


@contextlib.contextmanager
def _gateway(url: str, home: Path) -> Iterator[Mapping[str, str]]:
    """Run `harness gateway` before the script, and give the variables of its clients."""
    words = ("--tape", "tape", "--provider", "openai", "--json", "--record", "--upstream", f"openai={url}")
    process = subprocess.Popen(
        command("gateway", *words), cwd=home, env=clean_env({"OPENAI_API_KEY": "none"}), stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout
    try:
        yield json.loads(process.stdout.readline())["env"]
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


def _codex() -> str:
    """Give Codex's program, as npm brought it, or skip: its package is a small script that starts it."""
    brought("@openai/codex")
    found = sorted((npm_folder() / "node_modules" / "@openai").glob("codex-*/vendor/*/bin/codex"))
    if not found:
        pytest.skip("@openai/codex has no program for this machine")
    return str(found[0])
