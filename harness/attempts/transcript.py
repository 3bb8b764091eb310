"""Transcripts: the log that is all there is of an attempt, and what it folds to. One process writes it at a time.

It must never know a view, a store or a path.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from harness.attempts.chain_log import ChainLog, create
from harness.attempts.commit import done
from harness.attempts.fold import AttemptState, fold
from harness.clock import Clock
from harness.errors import DamageError
from harness.store.tree import StoreTree

KIND = "transcript/1"
STARTED, CALL, REOPENED, CLOSED = "attempt.started", "call", "reopened", "attempt.closed"
FINISHED, ABANDONED, EXPIRED = "finished", "abandoned", "expired"


def begin(path: Path, fields: Mapping[str, Any], tree: StoreTree | None = None) -> str:
    """Write the first line of an attempt's transcript durably; gives its digest, which the list of runs names."""
    return create(path, KIND, STARTED, fields, tree)


class Transcript:
    """The transcript behind a descriptor and the state it folds to; each event is folded as it is written.

    Opening one that was written to before says so in it, with the bytes of a torn line that were cut off; a closed
    one is read and never written to. AttemptError (E_BUSY) where another process holds it, DamageError where its
    chain is broken; then the descriptor stays the caller's, else it is closed with the transcript.
    """

    def __init__(self, handle: int, clock: Clock | None = None) -> None:
        self.log = ChainLog(handle, KIND, clock)
        if self.log.found[0]["event"] != STARTED:
            raise DamageError("this transcript does not begin with a start", next="restore it from a copy")
        self.state: AttemptState = fold(self.log.found)
        reopened, self.log.found = len(self.log.found) > 1 or self.log.torn > 0, ()
        if self.state.flaws:
            raise DamageError(
                f"this transcript was not written by a desk: {self.state.flaws[0]}", next="restore it from a copy"
            )
        if self.state.closed is None and reopened:
            self.add(REOPENED, {"cut": self.log.mend()})

    @property
    def head(self) -> str:
        """Digest of the last line."""
        return self.log.head

    def now(self) -> str:
        """Give the time, as the next line would tell it."""
        return self.log.clock.now()

    def add(self, event: str, fields: Mapping[str, Any], *, durable: bool = False) -> Future[None]:
        """Write an event and fold it; gives a future that is done when it is durable."""
        body, future = self.log.add(event, fields, durable=durable)
        self.state.apply(body)
        return future

    def end(self, reason: str) -> Future[None]:
        """Write the last event, with the counts; nothing follows it. Done at once where it was written before."""
        if self.state.closed is not None:
            return done()
        return self.add(CLOSED, {"reason": reason, **self.state.counts()}, durable=True)

    def close(self) -> None:
        """Close the descriptor."""
        self.log.close()
