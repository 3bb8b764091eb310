"""Lanes of the supervisor: each has one worker process, which does one job after another and ends when it is idle.

A worker that dies is told of as an error of its job; the next job gets another worker.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from harness.attempts.codes import AttemptError

IDLE = 30.0  # seconds after which a worker that has nothing to do is ended
GRACE = 10.0  # seconds that a worker gets to stop its containers
CHUNK = 1 << 16

Message = dict[str, Any]


@dataclass(frozen=True)
class LaneJob:
    """A request to a worker, and who is told of its reply: `{"ok": …}` or `{"error": …}`."""

    request: Message
    done: Callable[[Message], None]


class Lane:
    """One worker at a time, and the jobs that wait for it."""

    def __init__(self, arguments: Sequence[str], *, outlives: bool = False) -> None:
        self._outlives = outlives  # its worker ends what it has begun, whatever becomes of us
        more = ["--outlives"] if outlives else []
        self._command = [sys.executable, "-P", "-m", "harness_tools.worker", *arguments, *more]
        self._jobs: deque[LaneJob] = deque()
        self._now: LaneJob | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._part = b""
        self._idle_since = time.monotonic()

    def fileno(self) -> int | None:
        """Return the descriptor on which replies come; None where there is no worker."""
        return self._process.stdout.fileno() if self._process and self._process.stdout else None

    def add(self, job: LaneJob) -> None:
        """Queue a job, and begin with it at once where the worker is free."""
        self._jobs.append(job)
        self._next()

    def read(self) -> None:
        """Read what the worker says; call it when something is there."""
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
        """End the worker where it has had nothing to do for long."""
        if self._process and not self._now and time.monotonic() - self._idle_since > IDLE:
            self.end()

    def end(self) -> None:
        """End the worker: its standard input ends first, so that it can clear up."""
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
        self._now = self._jobs.popleft()
        if not self._process:
            # A session of its own: who kills this process' group leaves it the end of its input, and time to clear up.
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps(self._now.request).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            pass  # it has died; the end of its output says so

    def _gone(self) -> None:
        job, self._now = self._now, None
        self.end()
        if job:
            job.done({"error": AttemptError("E_INTERNAL", "the server was interrupted at this call").as_reply()})
        self._next()
