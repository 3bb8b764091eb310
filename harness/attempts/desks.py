"""The desks that a session keeps open: opened when a call needs one, closed when the attempt ends or room is short."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from harness.attempts.backend import OpenedAttempt
from harness.attempts.desk import Desk
from harness.attempts.reads import Data
from harness.attempts.transcript import Transcript
from harness.attempts.view import ViewReader
from harness.clock import Clock

MOST = 32  # desks open at a time


@dataclass(frozen=True)
class EndedAttempt:
    """What is remembered of a closed attempt: its counts, the head of its transcript, and texts that may be scored."""

    counts: Data
    head: str
    texts: Iterator[int]

    def may_score(self) -> bool:
        """Whether one more text may be scored; counts it."""
        return next(self.texts, None) is not None


class Desks:
    """Open desks by attempt; thread-safe."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock
        self._open: OrderedDict[str, Desk] = OrderedDict()
        self._ended: OrderedDict[str, EndedAttempt] = OrderedDict()
        self._opening = threading.RLock()
        self._lock = threading.Lock()

    def get(self, attempt_id: str, reopen: Callable[[str], OpenedAttempt]) -> Desk | EndedAttempt:
        """Give the desk of an attempt, opened again where it is not open, or what is known of it once it ended."""
        if found := self._known(attempt_id):
            return found
        with self._opening:  # of two calls at once one opens it
            return self._known(attempt_id) or self.take(reopen(attempt_id))

    def take(self, opened: OpenedAttempt) -> Desk | EndedAttempt:
        """Seat a desk at an attempt that was handed over; where one sits there, that one, and the files are closed."""
        with self._opening:
            if found := self._known(opened.attempt_id):
                _close(opened)
                return found
            return self._seat(opened)

    def _seat(self, opened: OpenedAttempt) -> Desk | EndedAttempt:
        try:
            desk = seat(opened, self._clock)
        except BaseException:
            _close(opened)
            raise
        if desk.closed:
            return self.end(opened.attempt_id, desk)
        with self._lock:
            self._open[opened.attempt_id] = desk
            old = [self._open.popitem(last=False)[1] for _ in range(len(self._open) - MOST)]
        for each in old:
            each.shut()
        return desk

    def end(self, attempt_id: str, desk: Desk) -> EndedAttempt:
        """Close the files of an attempt that has ended, and remember its counts."""
        budget = desk.transcript.state.header["budget"]
        ended = EndedAttempt(desk.outcome(), desk.transcript.head, iter(range(budget["calls"])))
        with self._lock:
            self._open.pop(attempt_id, None)
            self._ended[attempt_id] = ended
            while len(self._ended) > 100 * MOST:
                self._ended.popitem(last=False)
        desk.shut()
        return ended

    def close(self) -> None:
        """Close every desk."""
        with self._lock:
            desks = list(self._open.values())
            self._open.clear()
        for desk in desks:
            desk.shut()

    def _known(self, attempt_id: str) -> Desk | EndedAttempt | None:
        with self._lock:
            if attempt_id in self._open:
                self._open.move_to_end(attempt_id)
                return self._open[attempt_id]
            return self._ended.get(attempt_id)


def seat(opened: OpenedAttempt, clock: Clock | None = None) -> Desk:
    """Make the desk of an attempt that was handed over; the files are the caller's until it is made."""
    view = ViewReader(opened.items, opened.media)
    return Desk(Transcript(opened.transcript, clock), view)


def _close(opened: OpenedAttempt) -> None:
    for handle in (opened.transcript, opened.items, opened.media):
        if handle is not None:
            os.close(handle)
