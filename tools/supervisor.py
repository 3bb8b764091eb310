"""Supervisor: parent of the process that answers an agent, and the only one of the two with access to the store.

It passes open files over a pipe, and starts the scoring of closed attempts. Heavy work is done by workers, in lanes:
each lane has one worker process, which does one job after another and ends when it is idle. If a worker dies, its job
gets an error, and the next job gets another worker. Only the standard library and light modules of the harness are
imported.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import selectors
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from harness.attempts.codes import AttemptError
from harness.attempts.tokens import Token, read_tokens
from harness.attempts.transcript import begin_session
from harness.clock import unique_stamp
from harness.errors import STEP_FAILED, HarnessError, InputError
from harness.run.attempts.served import require_agent_uid
from harness.store.store import HOME, Store
from harness_tools.http_door import Door, require_tokens
from harness_tools.pipe import Answering, Pipe, close_all

IDLE = 30.0  # seconds after which a worker that has nothing to do is ended
GRACE = 10.0  # seconds that a worker gets to stop its containers
CHUNK = 1 << 16

Message = dict[str, Any]


@dataclass(frozen=True)
class LaneJob:
    """A request to a worker, and the callback for its reply: `{"ok": …}` or `{"error": …}`."""

    request: Message
    done: Callable[[Message], None]

    @property
    def owner(self) -> str:
        """The principal whose request it is; empty if there is one alone."""
        return str(self.request.get("principal", ""))


class Lane:
    """One worker process, and the queue of jobs for it; several principals take turns."""

    def __init__(self, arguments: Sequence[str], *, outlives: bool = False) -> None:
        self._outlives = outlives  # its worker finishes its job even if the supervisor ends
        more = ["--outlives"] if outlives else []
        self._command = [sys.executable, "-P", "-m", "harness_tools.worker", *arguments, *more]
        self._jobs: dict[str, deque[LaneJob]] = {}  # by their owner; the first owner is served next
        self._now: LaneJob | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._part = b""
        self._idle_since = time.monotonic()

    def fileno(self) -> int | None:
        """Return the descriptor on which replies come in; None if there is no worker."""
        return self._process.stdout.fileno() if self._process and self._process.stdout else None

    def add(self, job: LaneJob) -> None:
        """Queue a job, and start it at once if the worker is free."""
        self._jobs.setdefault(job.owner, deque()).append(job)
        self._next()

    def read(self) -> None:
        """Read the worker's output, and pass a reply to its job; to be called when there is data to read."""
        assert self._process and self._process.stdout
        data = os.read(self._process.stdout.fileno(), CHUNK)
        if not data:
            self._gone()
            return
        *lines, self._part = (self._part + data).split(b"\n")
        for line in lines:
            job, self._now = self._now, None
            self._idle_since = time.monotonic()
            if job:
                job.done(json.loads(line))
        self._next()

    def tick(self) -> None:
        """End the worker if it has been idle for too long."""
        if self._process and not self._now and time.monotonic() - self._idle_since > IDLE:
            self.end()

    def end(self) -> None:
        """End the worker; its standard input is closed first, so that it can clean up."""
        process, self._process = self._process, None
        if not process:
            return
        with contextlib.suppress(OSError):
            assert process.stdin
            process.stdin.close()
        for number in () if self._outlives and self._now else (None, signal.SIGTERM, signal.SIGKILL):
            if number is not None:
                process.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(GRACE if self._now else 2)
                break
        assert process.stdout
        process.stdout.close()
        self._part = b""

    def _next(self) -> None:
        if self._now or not self._jobs:
            return
        owner, jobs = next(iter(self._jobs.items()))
        self._now = jobs.popleft()
        del self._jobs[owner]
        if jobs:
            self._jobs[owner] = jobs
        if not self._process:
            # A session of its own: if this process' group is killed, the worker sees its input end, and can clean up.
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps(self._now.request).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            pass  # the worker has died, and the end of its output shows that

    def _gone(self) -> None:
        job, self._now = self._now, None
        self.end()
        if job:
            job.done({"error": AttemptError("E_INTERNAL", "the server was interrupted at this call").as_reply()})
        self._next()


READY: dict[str, Message] = {  # by profile: what is asked at once, so that an error in what is served is found
    "answer": {"op": "ready"},
    "run": {"op": "run", "tool": "list_manifests", "arguments": {}},
}
SHORT = ("start_run", "get_run", "cancel_run")
LIMITS = {"line_bytes": 1 << 20, "seconds_a_call": 4}


class Supervisor:
    """The process that has the store: it starts the answering process and works on its requests."""

    def __init__(self, asked: argparse.Namespace, store: Path, answering: Answering) -> None:
        self._asked, self._store, self._tree = asked, store, Store(store).tree
        self._many = bool(asked.http)  # principals: requests then say whose they are
        self._principal = f"local:{os.geteuid() if asked.agent_uid is None else asked.agent_uid}"
        self._session = unique_stamp()
        arguments = ["--project", asked.project, "--store", str(store), "--principal", self._principal]
        arguments += ["--session", self._session]
        for name in ("engine", "isolation", "images", "agent_uid"):
            if (value := getattr(asked, name)) is not None:
                arguments += [f"--{name.replace('_', '-')}", str(value)]
        given = [*arguments, *asked.manifests]
        self._lanes = {"quick": Lane(given), "scoring": Lane(given, outlives=True), "runs": Lane(given)}
        self._outcomes: dict[tuple[str, str], Message] = {}  # by principal and attempt id: the status of its scoring
        self._scoring: set[tuple[str, str]] = set()
        self._stop, self._code, self._checked = False, 0, asked.profile not in READY
        self._answering, self._pipe = answering, Pipe(answering.pipe)

    def run(self) -> int:
        """Work on requests of the answering process until it ends; return the exit code."""
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, self._stopped)
        if ready := READY.get(self._asked.profile):  # while the other process starts, too
            self._lanes["quick"].add(LaneJob(dict(ready), self._ready))
        try:
            while not self._stop and self._turn():
                pass
            while not self._stop and not self._checked and self._heard("quick"):
                pass  # a client that leaves at once must not hide that agents cannot be served
        finally:
            self._pipe.close()
            for lane in self._lanes.values():
                lane.end()
        code = self._answering.end()
        return self._code or code

    def _ready(self, reply: Message) -> None:
        """Stop at once if agents cannot be served as requested; the worker has printed the reason."""
        self._checked = True
        if "error" in reply:
            self._code, self._stop = int(reply["error"].get("exit", STEP_FAILED)), True

    def _stopped(self, *_: Any) -> None:
        self._stop = True

    def _heard(self, name: str) -> bool:
        """Wait up to a second for output of a lane's worker; return False if there is no worker."""
        if (handle := self._lanes[name].fileno()) is None:
            return False
        with selectors.DefaultSelector() as waiting:
            waiting.register(handle, selectors.EVENT_READ)
            if waiting.select(1.0):
                self._lanes[name].read()
        return True

    def _turn(self) -> bool:
        """Wait up to a second for messages and handle them; return False if the answering process has ended."""
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
        whose = str(message.get("principal", "")) if self._many else ""
        if operation == "hello":
            self._hello(number, str(message["tools"]), whose)
        elif operation == "tokens":
            self._tokens(number)
        elif operation == "finish":
            self._finish(number, str(message["attempt_id"]), whose)
        else:
            give = self._hand if operation in ("open", "reopen") else self._tell
            lane = "runs" if message.get("tool") in SHORT else "quick"  # else they would wait for long reading
            self._lanes[lane].add(LaneJob(message, lambda reply: give(number, reply)))

    def _tell(self, number: int, reply: Message, files: Sequence[int] = ()) -> None:
        """Answer a request; do nothing if the answering process has ended."""
        with contextlib.suppress(OSError):
            self._pipe.send({"n": number, **reply}, files)

    def _hand(self, number: int, reply: Message) -> None:
        """Pass on a worker's reply, with the files that it names opened in place of their names."""
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
        """Open a file of the store, and only of the store; a log is opened for appending."""
        place = self._store / path
        return self._tree.open_log(place, make=False) if log else self._tree.open_read(place)

    def _hello(self, number: int, tools: str, whose: str) -> None:
        """Begin the log of a session, and hand it over with its profile, principal, versions and limits."""
        told = {"profile": self._asked.profile, "principal": whose or self._principal, "versions": _versions()}
        path = self._store / "sessions" / f"{unique_stamp() if whose else self._session}.jsonl"
        begin_session(path, {**told, "tools": tools}, self._tree)
        handle = self._tree.open_log(path, make=False)
        self._tell(number, {"ok": {**told, "limits": LIMITS}}, [handle])
        os.close(handle)

    def _tokens(self, number: int) -> None:
        """Answer with the tokens that let clients in; for a damaged file, report it and let no client in."""
        try:
            known = [asdict(one) for one in read_tokens(Store(self._store)).values()]
        except HarnessError as bad:
            sys.stderr.write(f"nobody with a token is let in: {bad}\n")
            known = [asdict(Token("0" * 64, "nobody", (), ""))]  # so that tokens are asked for, and none fits
        self._tell(number, {"ok": known})

    def _finish(self, number: int, attempt: str, whose: str) -> None:
        """Answer with the status of a closed attempt's scoring; start the scoring if this supervisor has not yet."""
        mine = (whose, attempt)
        if mine in self._outcomes:
            self._tell(number, self._outcomes[mine])
            return

        def stands(reply: Message) -> None:
            self._keep(mine, reply, over=False)
            self._tell(number, reply)

        request = {"attempt_id": attempt, **({"principal": whose} if whose else {})}
        self._lanes["quick"].add(LaneJob({"op": "status", **request}, stands))
        if mine not in self._scoring:
            self._scoring.add(mine)
            done: Callable[[Message], None] = lambda reply: self._keep(mine, reply, over=True)  # noqa: E731
            self._lanes["scoring"].add(LaneJob({"op": "finish", **request}, done))

    def _keep(self, attempt: tuple[str, str], reply: Message, *, over: bool) -> None:
        """Remember the status of a scoring.

        An error is not remembered, nor a scoring that ended without an outcome, so that the scoring is tried again.
        """
        if over:
            self._scoring.discard(attempt)
        if "error" in reply or (over and reply["ok"].get("status") == "scoring"):
            self._outcomes.pop(attempt, None)
        elif over or attempt in self._scoring:
            self._outcomes[attempt] = reply


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name, package in (("harness", "repro-harness"), ("mcp", "mcp")):
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(package)
    return {"harness": "", **found}


def serve_agents(asked: argparse.Namespace, begun: Answering | None, door: Door | None = None) -> int:
    """Serve agents until the client goes away, and return the exit code.

    If agents cannot be served, an answering process that was already started is ended.
    """
    try:
        asked.project = str(_project(asked))
        store = Store.make(Path(asked.store).expanduser().absolute() if asked.store else Path(asked.project) / HOME)
        if asked.agent_uid is not None:
            require_agent_uid(store, asked.agent_uid)
        if door is not None:
            require_tokens(door, (one.scopes for one in read_tokens(store).values() if one.is_live()), asked.profile)
            sys.stderr.write(f"agents are served at {door.url}\n")
        http = (door.listening, door.rules.as_text()) if door else None
        begun = begun or Answering(asked.profile, asked.agent_uid, http)
        return Supervisor(asked, store.root, begun).run()
    except HarnessError as bad:
        sys.stderr.write(f"{bad}\n")
        return bad.code
    finally:
        if begun is not None:
            begun.end(0)


def _project(asked: argparse.Namespace) -> Path:
    """Return the root of the project that is served: that of the first manifest that is named, else of its folder.

    A folder that is in no project is returned as it is if a store is named.
    """
    for place in (*(Path(manifest) for manifest in asked.manifests[:1]), Path(asked.project)):
        for folder in (place, *place.parents):
            if (folder / "lockfiles").is_dir():
                return folder
    if asked.store is not None:
        return Path(asked.project)
    raise InputError(
        "this folder is in no project",
        where=asked.project,
        next="name the project's folder with --project DIR; `harness init` makes a folder one",
    )
