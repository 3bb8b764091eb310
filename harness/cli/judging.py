"""The clean process that `harness.verbs.accepting` starts; it answers one request for a verdict from its stdin."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from harness.errors import INTERRUPTED, HarnessError, InputError, Interrupted
from harness.manifest.load import ModelFolders
from harness.verbs.accepting import accept
from harness.verbs.project import Project, Result, Watch
from harness.verbs.requests import AcceptRequest, AuditRequest, Request
from harness.verbs.review import audit

PATIENCE = 10.0  # seconds for running steps to end
VERBS: Mapping[str, tuple[type[Request], Callable[[Project, Any, Watch], Result]]] = {
    "audit": (AuditRequest, audit),
    "accept": (AcceptRequest, accept),
}


def answer() -> None:
    """Answer one request from stdin, as the main function of a process that judges; it ends when its stdin ends."""
    lock, stop = threading.Lock(), threading.Event()

    def tell(what: Mapping[str, Any]) -> None:
        with lock:
            sys.stdout.write(json.dumps(what) + "\n")
            sys.stdout.flush()

    signal.signal(signal.SIGTERM, _interrupt)
    task = json.loads(sys.stdin.readline())
    threading.Thread(target=_await_end, args=(stop,), daemon=True).start()
    watch = Watch(lambda one: tell({"progress": list(vars(one).values())}), lambda text: tell({"say": text}), stop)
    try:
        tell({"result": _judged(task, watch).as_data()})
    except HarnessError as bad:
        tell(bad.as_data())
    except KeyboardInterrupt:
        tell(Interrupted("stopped", next="run it again").as_data())


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _await_end(stop: threading.Event) -> None:
    """End the process when its stdin ends: by SIGTERM and, if it still runs after `PATIENCE` seconds, at once."""
    sys.stdin.read()
    stop.set()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(PATIENCE)
    os._exit(INTERRUPTED)


def _judged(task: Mapping[str, Any], watch: Watch) -> Result:
    if task["verb"] not in VERBS:
        raise InputError(f"no verb that judges is called {task['verb']!r}")
    kind, verb = VERBS[task["verb"]]
    homes = ModelFolders(*(Path(task[name]) if task[name] else None for name in ("models", "hub")))
    project = Project(Path(task["folder"]), Path(task["store"]) if task["store"] else None, homes)
    return verb(project, kind(**task["request"]), watch)
