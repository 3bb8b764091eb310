"""Supervisor: parent of the process that answers an agent, and the only one of the two that knows the store.

It hands open files over a pipe, has workers do what is heavy, and starts the scoring of closed attempts. It stays
small: the standard library and the light rooms of the harness.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import selectors
import signal
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from harness.attempts.chain_log import begin_session
from harness.attempts.codes import AttemptError
from harness.clock import stamp
from harness.errors import STEP_FAILED, HarnessError, InputError
from harness.run.attempts.served import require_agent_uid
from harness.store.store import HOME, Store
from harness_tools.lanes import Lane, LaneJob, Message
from harness_tools.pipe import Pipe, close_all
from harness_tools.starting import Answering

LIMITS = {"line_bytes": 1 << 20, "seconds_a_call": 25}


class Supervisor:
    """The loop of the supervisor, for as long as the answering process lives."""

    def __init__(self, asked: argparse.Namespace, store: Path, answering: Answering) -> None:
        self._asked, self._store, self._tree = asked, store, Store(store).tree
        self._principal = f"local:{os.geteuid() if asked.agent_uid is None else asked.agent_uid}"
        self._session = stamp()
        arguments = ["--project", asked.project, "--store", str(store), "--principal", self._principal]
        arguments += ["--session", self._session]
        for name in ("engine", "isolation", "images", "agent_uid"):
            if (value := getattr(asked, name)) is not None:
                arguments += [f"--{name.replace('_', '-')}", str(value)]
        given = [*arguments, *asked.manifests]
        self._lanes = {"quick": Lane(given), "scoring": Lane(given, outlives=True)}
        self._outcomes: dict[str, Message] = {}  # of attempts, by id: their scoring as it stands
        self._scoring: set[str] = set()
        self._stop, self._code, self._checked = False, 0, asked.profile != "answer"
        self._answering, self._pipe = answering, Pipe(answering.pipe)

    def run(self) -> int:
        """Serve the answering process until it ends; gives its exit code."""
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, self._stopped)
        if self._asked.profile == "answer":  # while the other process starts, too
            self._lanes["quick"].add(LaneJob({"op": "ready"}, self._ready))
        try:
            while not self._stop and self._turn():
                pass
            while not self._stop and not self._checked and self._heard("quick"):
                pass  # a client that is gone at once must not hide that agents cannot be served so
        finally:
            self._pipe.close()
            for lane in self._lanes.values():
                lane.end()
        code = self._answering.end()
        return self._code or code

    def _ready(self, reply: Message) -> None:
        """End at once where agents cannot be served as it was asked; the worker has said why."""
        self._checked = True
        if "error" in reply:
            self._code, self._stop = int(reply["error"].get("exit", STEP_FAILED)), True

    def _stopped(self, *_: Any) -> None:
        self._stop = True

    def _heard(self, name: str) -> bool:
        """Wait for what the worker of a lane says next; False where there is none."""
        if (handle := self._lanes[name].fileno()) is None:
            return False
        with selectors.DefaultSelector() as waiting:
            waiting.register(handle, selectors.EVENT_READ)
            if waiting.select(1.0):
                self._lanes[name].read()
        return True

    def _turn(self) -> bool:
        """Wait for what comes next and see to it; False when the answering process has gone."""
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._pipe.fileno(), selectors.EVENT_READ, None)
            for lane in self._lanes.values():
                if (handle := lane.fileno()) is not None:
                    waiting.register(handle, selectors.EVENT_READ, lane)
            ready = waiting.select(1.0)
        for key, _ in ready:
            if key.data is not None:
                key.data.read()
                continue
            try:
                for message, files in self._pipe.receive():
                    close_all(files)
                    self._serve(message)
            except (EOFError, OSError):
                return False
        for lane in self._lanes.values():
            lane.tick()
        return True

    def _serve(self, message: Message) -> None:
        """Answer a request of the answering process, or pass it on to a worker."""
        number, operation = message.pop("n"), message["op"]
        if operation == "hello":
            self._hello(number, str(message["tools"]))
        elif operation == "finish":
            self._finish(number, str(message["attempt_id"]))
        else:
            give = self._hand if operation in ("open", "reopen") else self._tell
            self._lanes["quick"].add(LaneJob(message, lambda reply: give(number, reply)))

    def _tell(self, number: int, reply: Message, files: Sequence[int] = ()) -> None:
        """Answer a request; nobody, where the answering process has gone."""
        with contextlib.suppress(OSError):
            self._pipe.send({"n": number, **reply}, files)

    def _hand(self, number: int, reply: Message) -> None:
        """Pass a worker's reply on with the files that it names, opened, instead of their names."""
        files: list[int] = []
        try:
            for name, way in reply.get("ok", {}).pop("files", {}).items():
                files.append(self._opened(Path(way), name == "transcript"))
            self._tell(number, reply, files)
        except (OSError, HarnessError) as bad:
            sys.stderr.write(f"a file of an attempt cannot be opened: {bad}\n")
            self._tell(number, {"error": AttemptError("E_INTERNAL", "the attempt cannot be opened").as_reply()})
        finally:
            close_all(files)

    def _opened(self, path: Path, log: bool) -> int:
        """Open a file of the store, and no other; a log for appending."""
        place = self._store / path
        return self._tree.open_log(place, make=False) if log else self._tree.open_read(place)

    def _hello(self, number: int, tools: str) -> None:
        """Begin the log of a session, and hand it over with what the answering process may know of itself."""
        told = {"profile": self._asked.profile, "principal": self._principal, "versions": _versions()}
        path = self._store / "sessions" / f"{self._session}.jsonl"
        begin_session(path, {**told, "tools": tools}, self._tree)
        handle = self._tree.open_log(path, make=False)
        self._tell(number, {"ok": {**told, "limits": LIMITS}}, [handle])
        os.close(handle)

    def _finish(self, number: int, attempt: str) -> None:
        """Say how the scoring of a closed attempt stands, and begin it where this supervisor has not."""
        if attempt in self._outcomes:
            self._tell(number, self._outcomes[attempt])
            return

        def stands(reply: Message) -> None:
            self._keep(attempt, reply, over=False)
            self._tell(number, reply)

        self._lanes["quick"].add(LaneJob({"op": "status", "attempt_id": attempt}, stands))
        if attempt not in self._scoring:
            self._scoring.add(attempt)
            request = {"op": "finish", "attempt_id": attempt}
            self._lanes["scoring"].add(LaneJob(request, lambda reply: self._keep(attempt, reply, over=True)))

    def _keep(self, attempt: str, reply: Message, *, over: bool) -> None:
        """Remember how a scoring stands until it is over; an error is not remembered, so that it is tried again."""
        if over:
            self._scoring.discard(attempt)
        if "error" in reply:
            self._outcomes.pop(attempt, None)
        elif over or attempt in self._scoring:
            self._outcomes[attempt] = reply


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name, package in (("harness", "llm-harness"), ("mcp", "mcp")):
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(package)
    return {"harness": "", **found}


def supervise(asked: argparse.Namespace, begun: Answering | None) -> int:
    """Serve agents until the client goes away; an answering process that was begun is ended where nobody is served."""
    try:
        store = Store.make(_store(asked))
        if asked.agent_uid is not None:
            require_agent_uid(store, asked.agent_uid)
        begun = begun or Answering(asked.profile, asked.agent_uid)
        return Supervisor(asked, store.root, begun).run()
    except HarnessError as bad:
        sys.stderr.write(f"{bad}\n")
        return bad.code
    finally:
        if begun is not None:
            begun.end(0)


def _store(asked: argparse.Namespace) -> Path:
    """Say where the store is: where one is named, else in the project's root."""
    if asked.store is not None:
        return Path(asked.store).expanduser().absolute()
    for folder in (Path(asked.project), *Path(asked.project).parents):
        if (folder / "lockfiles").is_dir():
            return folder / HOME
    raise InputError("this folder is in no project", where=asked.project, next="go to the project's folder")
