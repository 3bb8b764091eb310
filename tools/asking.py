"""The answering process's end of the pipe: requests that wait for the supervisor, from whatever thread.

What takes longer than a call may take goes on meanwhile, and the same request again gives what came of it.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from typing import Any

from harness.attempts.codes import AttemptError, from_reply
from harness_tools.pipe import Message, Pipe, close_all

PATIENCE = 20.0  # seconds that a call waits


@dataclass(frozen=True)
class PipeAnswer:
    """What the supervisor gave: data, and open files, which are the asker's."""

    data: Any
    files: tuple[int, ...]


class PipeClient:
    """Requests to the supervisor. `ended` is called, once, where it has gone."""

    def __init__(self, end: socket.socket, ended: Callable[[], None], patience: float = PATIENCE) -> None:
        self._pipe, self._ended, self._patience = Pipe(end), ended, patience
        self._lock, self._sending = threading.Lock(), threading.Lock()
        self._next = 0
        self._waiting: dict[int, Future[PipeAnswer]] = {}
        self._errands: dict[str, Future[PipeAnswer]] = {}
        threading.Thread(target=self._listen, name="pipe", daemon=True).start()

    def ask(self, operation: str, **fields: Any) -> PipeAnswer:
        """Ask, and wait for the answer; AttemptError where the supervisor says so, or takes too long."""
        try:
            return self._send({"op": operation, **fields}).result(self._patience)
        except TimeoutError:
            raise _busy() from None

    def ask_again(self, key: str, operation: str, **fields: Any) -> PipeAnswer:
        """Ask as `ask` does; where it takes too long, the next call under the same key waits for the same answer.

        Of several calls at once one takes the answer, whose files are its own; the others ask anew.
        """
        while True:
            with self._lock:
                errand = self._errands.get(key)
                number = 0 if errand else self._expect()
                errand = errand or self._errands.setdefault(key, self._waiting[number])
            if number:
                self._put(number, {"op": operation, **fields})
            wait([errand], self._patience)
            if not errand.done():
                raise _busy()
            with self._lock:
                mine = self._errands.get(key) is errand
                if mine:
                    del self._errands[key]
            if mine:
                return errand.result()

    def _send(self, message: Message) -> Future[PipeAnswer]:
        with self._lock:
            number = self._expect()
            future = self._waiting[number]
        self._put(number, message)
        return future

    def _expect(self) -> int:
        """Return the number of the next request, whose answer is waited for from now on; call it under the lock."""
        self._next += 1
        self._waiting[self._next] = Future()
        return self._next

    def _put(self, number: int, message: Message) -> None:
        """Send a request. Under a lock of its own: answers are read while the other end has no room for more."""
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
            future.set_exception(from_reply(message["error"]))
        else:
            future.set_result(PipeAnswer(message["ok"], tuple(files)))


def _busy() -> AttemptError:
    return AttemptError("E_BUSY", "the server is still at work on this call", "Repeat the same call in a few seconds.")


def _gone() -> AttemptError:
    return AttemptError("E_INTERNAL", "the server is ending")
