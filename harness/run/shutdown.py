"""Graceful shutdown on SIGINT and SIGTERM: the first signal sets an event, at which work ends between two actions.

The first signal never interrupts a write; a second one ends the process at once.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from harness.errors import Interrupted

WORDS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stoppable(stop: threading.Event) -> Iterator[None]:
    """Set `stop` on the first SIGINT or SIGTERM; a second one ends the process at once, which loses nothing finished.

    Has no effect outside the main thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # a server stops its runs by their events
        return

    def asked(signum: int, frame: FrameType | None) -> None:
        if stop.is_set():
            signal.signal(signum, signal.SIG_DFL)
            os.kill(os.getpid(), signum)
        stop.set()

    before = {word: signal.signal(word, asked) for word in WORDS}
    try:
        yield
    finally:
        for word, handler in before.items():
            signal.signal(word, handler)


def raise_if_stopped(stop: threading.Event) -> None:
    """Raise Interrupted if a stop was requested."""
    if stop.is_set():
        raise Interrupted("stopped", next="run again: what was finished is kept")
