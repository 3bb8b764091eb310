"""The answering process's end of the pipe: requests to the supervisor, and the backend of a session made of them.

Requests may come from any thread. A request that takes longer than a call may take goes on, and the same request made
again returns its outcome. Independent of protocols, and of what an agent answers.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Final, Protocol, cast

from harness.attempts.calls import OpenedAttempt
from harness.attempts.codes import AttemptError, error_from_reply
from harness.attempts.shapes import CatalogueRow, ScoreTextArgs, ScoringRow, StartAttemptArgs, TextScoreRow
from harness.digest import canonical_json, sha256
from harness_tools.pipe import Message, Pipe, close_all

CALL_PATIENCE = 3.0  # seconds that a call waits; many clients give up a call after five


@dataclass(frozen=True)
class PipeAnswer:
    """The supervisor's answer: data, and open files, which belong to the caller."""

    data: Any
    files: tuple[int, ...]


class AskPipe(Protocol):
    """Interface of the pipe by which the answering process sends requests to the supervisor."""

    def call(self) -> AbstractContextManager[None]:
        """Context manager of one tool call: its requests together may wait only as long as one could alone."""
        ...

    def left(self) -> float:
        """Return how many seconds a request of this thread may wait."""
        ...

    def ask_again(self, key: str, operation: str, **fields: Any) -> PipeAnswer:
        """Send a request and return its answer; a call with the same key waits for the same answer."""
        ...

    def send(self, operation: str, **fields: Any) -> Future[PipeAnswer]:
        """Send a request and return its future answer."""
        ...


class PipeClient:
    """Client for requests to the supervisor; `ended` is called once, when the supervisor has ended."""

    def __init__(self, end: socket.socket, ended: Callable[[], None], patience: float = CALL_PATIENCE) -> None:
        self._pipe, self._ended, self._patience = Pipe(end), ended, patience
        self._lock, self._sending = threading.Lock(), threading.Lock()
        self._next = 0
        self._waiting: dict[int, Future[PipeAnswer]] = {}
        self._errands: dict[str, Future[PipeAnswer]] = {}
        self._call = threading.local()  # of each thread: until when its call may wait
        threading.Thread(target=self._listen, name="pipe", daemon=True).start()

    @contextmanager
    def call(self) -> Iterator[None]:
        """Context manager of one tool call: its requests together may wait only as long as one could alone."""
        self._call.until = time.monotonic() + self._patience
        try:
            yield
        finally:
            del self._call.until

    def left(self) -> float:
        """Return how many seconds a request of this thread may wait."""
        until = getattr(self._call, "until", None)
        return self._patience if until is None else max(0.0, until - time.monotonic())

    def ask(self, operation: str, **fields: Any) -> PipeAnswer:
        """Send a request and return its answer; raise AttemptError if it is an error or takes too long."""
        try:
            return self.send(operation, **fields).result(self.left())
        except TimeoutError:
            raise _busy() from None

    def ask_again(self, key: str, operation: str, **fields: Any) -> PipeAnswer:
        """Do as `ask` does; if the answer takes too long, the next call with the same key waits for the same answer.

        Of several calls at once, one gets the answer and owns its files; the others send the request again.
        """
        while True:
            with self._lock:
                errand = self._errands.get(key)
                number = 0 if errand else self._expect()
                errand = errand or self._errands.setdefault(key, self._waiting[number])
            if number:
                self._put(number, {"op": operation, **fields})
            wait([errand], self.left())
            if not errand.done():
                raise _busy()
            with self._lock:
                mine = self._errands.get(key) is errand
                if mine:
                    del self._errands[key]
            if mine:
                return errand.result()

    def forget(self, key: str) -> None:
        """Drop the outcome of a request that no client fetched, with its files, now or when it comes."""
        with self._lock:
            errand = self._errands.pop(key, None)
        if errand is not None:
            errand.add_done_callback(_drop)

    def send(self, operation: str, **fields: Any) -> Future[PipeAnswer]:
        """Send a request and return its future answer, which need not be waited for."""
        with self._lock:
            number = self._expect()
            future = self._waiting[number]
        self._put(number, {"op": operation, **fields})
        return future

    def _expect(self) -> int:
        """Return the number of the next request, and expect its answer from now on; the caller must hold the lock."""
        self._next += 1
        self._waiting[self._next] = Future()
        return self._next

    def _put(self, number: int, message: Message) -> None:
        """Send a request under a separate lock, so that answers can be read while the other end is full."""
        try:
            with self._sending:
                self._pipe.send({"n": number, **message})
        except OSError:
            with self._lock:
                future = self._waiting.pop(number, None)
            if future is not None:
                future.set_exception(_gone())

    def _listen(self) -> None:
        try:
            while True:
                for message, files in self._pipe.receive():
                    self._take(message, files)
        except (EOFError, OSError, ValueError):
            pass
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        with self._sending:
            self._pipe.close()
        for future in waiting.values():
            future.set_exception(_gone())
        self._ended()

    def _take(self, message: Message, files: list[int]) -> None:
        with self._lock:
            future = self._waiting.pop(message["n"], None)
        if future is None:
            close_all(files)
        elif "error" in message:
            future.set_exception(error_from_reply(message["error"]))
        else:
            future.set_result(PipeAnswer(message["ok"], tuple(files)))


def _drop(errand: Future[PipeAnswer]) -> None:
    if errand.exception() is None:
        close_all(errand.result().files)


def _busy() -> AttemptError:
    return AttemptError("E_BUSY", "the server is still at work on this call", "Repeat the same call in a few seconds.")


def _gone() -> AttemptError:
    return AttemptError("E_INTERNAL", "the server is ending")


SCORING: Final = "scoring"
POLL = 0.25  # seconds between two queries for the status of a scoring


class PipeBackend:
    """Backend of a session that asks the supervisor over a pipe: attempts come as open files, not as paths."""

    def __init__(self, asking: AskPipe) -> None:
        self._asking = asking
        self.call = asking.call  # what each call is made in
        self.seen: set[str] = set()  # attempts that were handed over

    def catalogue(self) -> CatalogueRow:
        """Return the studies that the agent may attempt, from the supervisor."""
        return cast(CatalogueRow, self._asking.ask_again("catalogue", "catalogue").data)

    def open(self, request: StartAttemptArgs, tools: str) -> OpenedAttempt:
        """Have the supervisor begin an attempt, which may take longer than one call; return its open files."""
        key = "open " + sha256(canonical_json(dict(request)))
        return self._handed(self._asking.ask_again(key, "open", **request, tools=tools))

    def reopen(self, attempt_id: str) -> OpenedAttempt:
        """Have the supervisor open an attempt of this principal again; return its open files."""
        return self._handed(self._asking.ask_again(f"reopen {attempt_id}", "reopen", attempt_id=attempt_id))

    def finish(self, attempt_id: str, *, wait: bool = True) -> ScoringRow:
        """Return the status of a closed attempt's scoring; with `wait`, wait for its end as long as a call may wait.

        While the worker that knows the status is busy, the attempt is waiting to be scored, which is `scoring`, too.
        """
        asked = self._asking.send("finish", attempt_id=attempt_id)
        told: ScoringRow = {"status": SCORING}
        until = time.monotonic() + (self._asking.left() if wait else 0)
        while told["status"] == SCORING and (left := until - time.monotonic()) > 0:
            try:
                told = cast(ScoringRow, asked.result(left).data)
            except TimeoutError:
                break
            if told["status"] == SCORING:
                time.sleep(min(POLL, left))
                asked = self._asking.send("finish", attempt_id=attempt_id)
        return told

    def score_text(self, request: ScoreTextArgs) -> TextScoreRow:
        """Have one text scored against an item; return the value or why there is none."""
        key = "score_text " + sha256(canonical_json(dict(request)))
        return cast(TextScoreRow, self._asking.ask_again(key, "score_text", **request).data)

    def verb(self, tool: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Have a verb called for an operator's or auditor's agent, and return its result."""
        key = f"{tool} {sha256(canonical_json(dict(request)))}"
        return dict(self._asking.ask_again(key, "verb", tool=tool, arguments=dict(request)).data)

    def run(self, tool: str, request: Mapping[str, Any], client: str = "") -> Mapping[str, Any]:
        """Have a call answered of an agent that runs manifests, and return its result."""
        asked = {"tool": tool, "arguments": dict(request), "client": client}
        return dict(self._asking.ask_again(f"run {sha256(canonical_json(asked))}", "run", **asked).data)

    def _handed(self, answered: PipeAnswer) -> OpenedAttempt:
        if len(answered.files) != 3:
            close_all(answered.files)
            raise AttemptError("E_INTERNAL", "the server handed over no attempt")
        transcript, items, media = answered.files
        self.seen.add(answered.data["attempt_id"])
        return OpenedAttempt(answered.data["attempt_id"], transcript, items, media, answered.data.get("more", {}))
