"""Monitor of a running job, the same for every engine: time, cancellation, disk, processes, output."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from harness.engines.disk_budget import SHARE, DiskBudget
from harness.engines.engine import Limits, Outcome

TURN = 0.1  # seconds between two looks


class JobMonitor:
    """Monitor of one command: says when it must be killed and why, collects its output, reports how it ended."""

    def __init__(
        self,
        limits: Limits,
        on_log: Callable[[bytes], None],
        cancel: threading.Event,
        folders: tuple[Path, ...] = (),  # those the command may fill
    ) -> None:
        self.why = ""  # the command was ended: budget | cancel | processes | deadline
        self.log = bytearray()  # the end of what it printed
        self._limits, self._on_log, self._cancel = limits, on_log, cancel
        self._budget = DiskBudget(folders, limits)
        self._started = time.monotonic()
        self._counter: Callable[[], int] | None = None
        self._look = 0.0
        self.begin()

    def begin(self) -> None:
        """Start the command's clock: the time to set up its isolation does not count."""
        self._deadline = time.monotonic() + self._limits.seconds

    def count_with(self, counter: Callable[[], int]) -> None:
        """Count processes by this function from now on, where the kernel does not bound their number."""
        self._counter = counter

    def _too_many(self) -> bool:
        started = time.monotonic()
        if self._counter is None or started < self._look:
            return False
        many = self._counter() > self._limits.processes
        ended = time.monotonic()
        self._look = ended + max(TURN, (ended - started) / SHARE)
        return many

    @property
    def poll_seconds(self) -> float:
        """Seconds to wait before the next check."""
        return max(0.0, min(self._deadline - time.monotonic(), TURN))

    def must_end(self) -> bool:
        """Whether the command must be killed now: over its disk, its processes or its time, or cancelled."""
        if self._budget.spent():
            self.why = "budget"
        elif self._too_many():
            self.why = "processes"
        elif self._cancel.is_set():
            self.why = "cancel"
        elif time.monotonic() >= self._deadline:
            self.why = "deadline"
        return bool(self.why)

    def log_output(self, text: bytes) -> None:
        """Pass on what the command printed, and keep the end of it."""
        self._on_log(text)
        self.log += text
        del self.log[: -self._limits.log_bytes]

    def outcome(
        self, code: int, isolation: str, *, oom: bool = False, usage: Mapping[str, int] | None = None
    ) -> Outcome:
        """Make the Outcome from an exit code and what was seen; a code below 0, or above 128, is a signal."""
        signal = max(-code, code - 128, 0)
        if self.why == "processes":
            said = f"\nmore than {self._limits.processes} processes at once, which is all that a step may have\n"
            self.log_output(said.encode())
        return Outcome(
            exit=int(self.why == "processes") if self.why or signal else code,
            signal=0 if self.why else signal,
            oom=oom,
            timed_out=self.why == "deadline",
            cancelled=self.why == "cancel",
            over=self._budget.over or self._budget.spent(now=True),
            usage={**(usage or {}), "wall_ms": round(1000 * (time.monotonic() - self._started))},
            isolation=isolation,
            log=bytes(self.log),
        )
