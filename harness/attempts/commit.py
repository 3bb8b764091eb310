"""Group commit: many callers wait for their lines to be durable, one thread waits for the disk.

It must never know what a line says.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future

from harness.errors import HarnessError
from harness.files import append_durable, translate_os_error


class GroupCommit:
    """The thread that syncs one log. One sync covers every line written before it begins."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._waiting: list[Future[None]] = []
        self._change = threading.Condition()
        self._thread: threading.Thread | None = None
        self._over = False

    def ask(self) -> Future[None]:
        """Give a future that is done when all that was written before this call is durable."""
        future: Future[None] = Future()
        future.set_running_or_notify_cancel()  # a waiter that goes away leaves the others alone
        with self._change:
            self._waiting.append(future)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="group-commit", daemon=True)
                self._thread.start()
            self._change.notify()
        return future

    def end(self) -> None:
        """Sync what is waited for, and end the thread."""
        with self._change:
            self._over = True
            self._change.notify()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while True:
            with self._change:
                while not self._waiting and not self._over:
                    self._change.wait()
                batch, self._waiting = self._waiting, []
            if not batch:
                return
            failure: HarnessError | None = None
            try:
                append_durable(self._handle, ())
            except OSError as bad:
                failure = translate_os_error(bad, "a log of calls")
            for future in batch:
                if failure is None:
                    future.set_result(None)
                else:
                    future.set_exception(failure)


def done() -> Future[None]:
    """Give a future that is done: of a line that nobody waits for."""
    future: Future[None] = Future()
    future.set_result(None)
    return future
