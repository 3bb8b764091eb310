"""The gateway process of a run, through which steps ask models at providers; it ends with the run.

It starts when the first step asks, so a run without such a step starts none. No step ever sees a provider's key.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness.errors import HarnessError, InputError, MissingError, RefusedError, StepError
from harness.manifest.schema import Manifest
from harness.models.gateway.limits import AUTHORISATION, CONNECTION, UNANSWERED
from harness.models.gateway.settings import MOST, MOST_AT_ONCE, Keys
from harness.run.closure import code_root
from harness.run.locking.models import gateway_models

START = 60.0  # seconds within which a gateway must listen
END = 30.0
SOON = 1.0  # seconds within which it reports its counts; after that, its last ones are used
NAME = "gateway.sock"
MEANT = "or `--max-errors 100%`, where refusals are what you count"
KEPT = "run again: every finished step is kept, and every answer on a tape"
MOST_STEPS = 64  # steps that ask at once, as long as their number is not known


class Gateway:
    """The handle of a run's gateway process, which ends when its stdin closes, however the harness ends."""

    def __init__(self, models: Mapping[str, Any], more: Mapping[str, Any] | None = None) -> None:
        self.models, self._more = models, dict(more or {})
        self.steps = MOST_STEPS  # how many ask at once, at most
        self.ready: dict[str, Any] = {}  # what it said when it began to listen
        self.summary: dict[str, Any] = {}
        self._now: dict[str, Any] = {}  # what it had done when it was last asked
        self._heard = bytearray()
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def socket(self) -> Path:
        """The path of the gateway's socket; the first access starts the process and waits until it listens.

        Raises an error if the process does not start.
        """
        with self._turn:
            if self._process is None:
                self._start()
            return self._folder / NAME

    def at_once(self, name: str) -> int:
        """Return how many requests a step sends at once to a model, so that the gateway alone bounds their number."""
        limits = self.models.get(name, {}).get("limits", {})
        return int(min(limits.get("concurrency", MOST_AT_ONCE), max(1, MOST // self.steps)))

    @property
    def priced(self) -> bool:
        """Whether any model that is not replayed from a tape has a price."""
        return any(told.get("prices") and told["mode"] != "replay" for told in self.models.values())

    def now(self) -> dict[str, Any]:
        """Return the gateway's counts by model so far; the last known ones if it is busy or was not started."""
        if self._turn.acquire(blocking=False):  # another thread may be starting it
            try:
                if self._process and self._process.stdin:
                    self._process.stdin.write(b"?\n")
                    self._process.stdin.flush()
                    self._now = self._line(self._process, SOON).get("now", self._now)
            except (BrokenPipeError, MissingError):
                pass  # it is busy, or has ended, which the asking step will report
            finally:
                self._turn.release()
        return self._now

    def judged(self, problem: HarnessError | None) -> HarnessError | None:
        """Return the error to report for a failed step: `problem`, or a missing key or refusing provider behind it.

        Any other problem is returned as it is.
        """
        if not isinstance(problem, StepError):
            return problem
        for name, told in self.summary.get("models", {}).items():
            if "missing_key" in told["errors"]:
                try:
                    Keys(os.environ).find_for(self.models[name]["key"], self.models[name]["base_url"])
                except HarnessError as lack:
                    return lack
            if "gave_up" in told:
                remedy = f"correct what it names and run again: of this run only answers are kept; {MEANT}"
                if told.get("outage") == CONNECTION:
                    remedy = f"start the server, or correct its `base_url`, and {KEPT}"
                elif told.get("outage") == AUTHORISATION:
                    remedy = f"correct the key {self.models[name]['key']}, and {KEPT}"
                elif told.get("outage") == UNANSWERED:
                    remedy = f"wait until it answers, or lower `concurrency` or rates in `limits`, and {KEPT}"
                return RefusedError(f"{name} {told['gave_up']}", where=problem.where, next=remedy)
        return problem

    def __enter__(self) -> Gateway:
        """Return this handle; the process is not started yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the process, if it was started."""
        self.end()

    @property
    def gone(self) -> bool:
        """Whether the gateway's process was started and has ended by itself."""
        return self._process is not None and self._process.poll() is not None

    def end(self) -> None:
        """End the gateway's process, if it was started, and keep its summary; a process that hangs is killed."""
        with self._turn:
            if self._process:
                self._end(self._process)
                self._process = None

    def _start(self) -> None:
        """Start the process and wait until it listens; raise its error if it does not."""
        self._folder = Path(tempfile.mkdtemp(prefix="harness-"))
        self._errors = open(self._folder / "errors", "w+b")  # noqa: SIM115 - closed when it has ended
        self._process = subprocess.Popen(
            [sys.executable, "-s", "-P", "-B", "-m", "harness.models.gateway.gateway"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(code_root())},
        )
        assert self._process.stdin
        line = json.dumps({"socket": str(self._folder / NAME), "models": self.models, **self._more}).encode() + b"\n"
        try:
            with contextlib.suppress(BrokenPipeError):  # it says why on its stdout
                self._process.stdin.write(line)
                self._process.stdin.flush()
            said = self._line(self._process, START)
            if said.get("ready") is not True:
                raise self._refused(said)
            self.ready = said
        except BaseException:
            self._end(self._process)
            self._process = None
            raise

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin and process.stdout
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            while "now" in (rest := self._line(process, END)):
                pass  # an answer that came too late
            self.summary = rest if "models" in rest else {}
            process.wait(END)
        except (subprocess.TimeoutExpired, HarnessError):
            process.kill()
            process.wait()
        process.stdout.close()
        self._errors.close()
        for path in self._folder.iterdir():
            path.unlink()
        self._folder.rmdir()

    def _line(self, process: subprocess.Popen[bytes], seconds: float) -> dict[str, Any]:
        """Return the next JSON line that the process writes; empty if it has ended."""
        assert process.stdout
        pipe, until = process.stdout.fileno(), time.monotonic() + seconds
        with selectors.DefaultSelector() as ready:
            ready.register(pipe, selectors.EVENT_READ)
            while b"\n" not in self._heard:
                if not ready.select(max(0.0, until - time.monotonic())):
                    raise MissingError(
                        "the gateway does not answer", next="run again; if it happens again, see the log with --debug"
                    )
                data = os.read(pipe, 65536)
                if not data:
                    break
                self._heard += data
        line, _, rest = self._heard.partition(b"\n")
        self._heard = rest
        try:
            value = json.loads(line or b"{}")
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    def _refused(self, said: Mapping[str, Any]) -> HarnessError:
        error = said.get("error")
        if isinstance(error, dict):
            kind = InputError if error.get("code") == InputError.code else MissingError
            return kind(str(error["what"]), where=str(error["where"]), next=str(error["next"]))
        self._errors.seek(0)
        tail = self._errors.read().decode("utf-8", "replace").strip().rsplit("\n", 1)[-1]
        return MissingError(f"the gateway ended at its start: {tail[:300]}", next="pip install 'repro-harness[api]'")


@contextlib.contextmanager
def run_gateway(manifest: Manifest, root: Path, more: Mapping[str, Any] | None = None) -> Iterator[Gateway | None]:
    """Context manager that yields a gateway if the manifest names models at providers, else None."""
    models = gateway_models(manifest, root)
    if not models:
        yield None
        return
    with Gateway(models, more) as running:
        yield running
