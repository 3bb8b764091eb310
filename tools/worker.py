"""Worker: a child of the supervisor that does heavy work with the verbs, one job after another.

Entry point of `python -m harness_tools.worker`, which reads each job as a JSON line and writes a JSON line as reply.
When its input ends, the current job is stopped and cleaned up; a worker that scores finishes the job first. No agent
talks to a worker directly, and agents are told of errors without a path or a traceback.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from harness_tools.child_start import claim_connection, paused_collection

with paused_collection():  # while the answering process starts, too
    from harness.attempts.codes import AttemptError
    from harness.attempts.shapes import CatalogueRow, ScoreTextArgs, TextScoreRow
    from harness.errors import HarnessError
    from harness.run.attempts.service import LocalBackend, OpenedView
    from harness.verbs.attempts import attempt_backend
    from harness.verbs.project import Project, Watch
    from harness.verbs.requests import ServeRequest

Message = dict[str, Any]


class Worker:
    """The jobs that a worker process does for the supervisor, by name."""

    def __init__(self, asked: argparse.Namespace, watch: Watch) -> None:
        self._asked, self._watch = asked, watch
        self._principal = asked.principal  # whose job it is: of many over HTTP, of one over stdio
        self._project = Project.at(asked.project, asked.store)
        self._work: Mapping[str, Callable[[Any], object]] = {  # each takes the fields of its job
            "ready": self._ready,
            "catalogue": lambda _: self._backend.catalogue(),
            "open": lambda job: _handed(self._backend.open_view(job, str(job["tools"]))),
            "reopen": lambda job: _handed(self._backend.reopen_view(str(job["attempt_id"]))),
            "status": lambda job: self._backend.status(str(job["attempt_id"])),
            "finish": lambda job: self._backend.finish(str(job["attempt_id"])),
            "score_text": self._score_text,
            "verb": self._verb,
            "run": self._run,
        }

    @property
    def _backend(self) -> LocalBackend:
        return replace(self._local, principal=self._principal)

    @cached_property
    def _local(self) -> LocalBackend:
        return attempt_backend(self._project, self._served, self._watch, principal=self._asked.principal)

    @cached_property
    def _served(self) -> ServeRequest:
        where = {"engine": self._asked.engine, "isolation": self._asked.isolation, "images": self._asked.images}
        return ServeRequest(
            manifests=self._asked.manifests, agent_uid=self._asked.agent_uid, session=self._asked.session, **where
        )

    def reply(self, job: Message) -> Message:
        """Do one job and return its result or its error; details that no agent may see go to stderr."""
        operation, self._principal = job.pop("op"), job.pop("principal", "") or self._asked.principal
        try:
            return {"ok": self._work[operation](job)}
        except AttemptError as refusal:
            return {"error": refusal.as_reply()}
        except HarnessError as bad:
            _say(str(bad))
            error = AttemptError("E_INTERNAL", "the server cannot answer this call").as_reply()
            return {"error": {**error, "exit": bad.code}}
        except Exception:  # a defect must not end the worker, because other jobs wait
            _say(traceback.format_exc())
            return {"error": AttemptError("E_INTERNAL", "the server met a defect of its own").as_reply()}

    def _ready(self, _: object) -> CatalogueRow:
        """Read what is served, so that errors in it are found at once."""
        return self._backend.catalogue()

    def _score_text(self, job: ScoreTextArgs) -> TextScoreRow:
        return self._backend.score_text(job)

    def _verb(self, job: Message) -> Mapping[str, Any]:
        from harness_tools.verb_calls import call_verb  # noqa: PLC0415 - no agent under test needs it

        return call_verb(self._project, str(job["tool"]), job["arguments"], self._watch)

    def _run(self, job: Message) -> Mapping[str, Any]:
        from harness_tools.run_calls import call_run  # noqa: PLC0415 - as above

        return call_run(self._project, self._served, self._principal, job, self._watch)


def _handed(opened: OpenedView) -> Message:
    """Return the reply with the files of an attempt that the supervisor opens and hands over, in this order."""
    files = {"transcript": str(opened.transcript), "items": str(opened.items), "media": str(opened.media)}
    return {"attempt_id": opened.attempt, "more": dict(opened.more), "files": files}


def _say(text: str) -> None:
    sys.stderr.write(text.rstrip() + "\n")


def _listen(source: int, jobs: queue.Queue[Message | None], watch: Watch, outlives: bool) -> None:
    """Queue the jobs that come in; when the input ends, stop the current job unless `outlives` is set."""
    with os.fdopen(source, "rb") as lines:
        for line in lines:
            jobs.put(json.loads(line))
    if not outlives:
        watch.stop.set()
    jobs.put(None)


def main(argv: Sequence[str]) -> None:
    """Read jobs from stdin and do them one after the other, until the input ends."""
    parser = argparse.ArgumentParser("harness_tools.worker")
    parser.add_argument("manifests", nargs="*")
    for name in ("project", "store", "principal"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--session", default="")
    parser.add_argument("--engine", default="local")
    parser.add_argument("--isolation", default="")
    parser.add_argument("--images", default=None)
    parser.add_argument("--agent-uid", type=int, default=None)
    parser.add_argument("--outlives", action="store_true")
    asked = parser.parse_args(argv)
    source, sink = claim_connection()
    watch, jobs = Watch(), queue.Queue[Message | None]()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # from a terminal; the supervisor ends this process
    signal.signal(signal.SIGTERM, lambda *_: watch.stop.set())
    threading.Thread(target=_listen, args=(source, jobs, watch, asked.outlives), daemon=True).start()
    worker = Worker(asked, watch)
    with os.fdopen(sink, "wb", buffering=0) as out, contextlib.suppress(BrokenPipeError):  # our parent may be gone
        while (job := jobs.get()) is not None and not watch.stop.is_set():
            out.write(json.dumps(worker.reply(job), allow_nan=False).encode() + b"\n")


if __name__ == "__main__":
    main(sys.argv[1:])
