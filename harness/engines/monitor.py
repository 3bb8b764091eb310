"""Monitor of a running job, the same for every engine: time, cancellation, disk, processes, output."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from harness.engines.disk_budget import SHARE, DiskBudget
from harness.engines.engine import Limits, Outcome

TURN = 0.1  # seconds between two looks
FAR, NEAR = 0.02, 0.01  # seconds between two looks at memory: where most is free, and where a quarter is used


class JobMonitor:
    """Monitor of one command: says when it must be killed and why, collects its output, reports how it ended."""

    def __init__(
        self,
        limits: Limits,
        on_log: Callable[[bytes], None],
        cancel: threading.Event,
        folders: tuple[Path, ...] = (),  # those the command may fill
    ) -> None:
        self.why = ""  # the command was ended: budget | memory | cancel | processes | deadline
        self.log = bytearray()  # the end of what it printed
        self._limits, self._on_log, self._cancel = limits, on_log, cancel
        self._budget = DiskBudget(folders, limits)
        self._started = time.monotonic()
        self._counter: Callable[[], int] | None = None
        self._look = 0.0
        self._meter: Callable[[int], int] | None = None
        self._weight, self._next_weight, self._weight_pause = 0, 0.0, TURN
        self.begin()

    def begin(self) -> None:
        """Start the command's clock: the time to set up its isolation does not count."""
        self._deadline = time.monotonic() + self._limits.seconds

    def count_with(self, counter: Callable[[], int]) -> None:
        """Count processes by this function from now on, where the kernel does not bound their number."""
        self._counter = counter

    def weigh_with(self, meter: Callable[[int], int]) -> None:
        """Measure memory by this function from now on, where the kernel does not bound all of it together.

        It is told how much is allowed, and may give a rougher number as long as that is below.
        """
        self._meter, self._next_weight = meter, time.monotonic() + FAR
        self._weight_pause = FAR

    def _too_heavy(self) -> bool:
        started = time.monotonic()
        if self._meter is None or started < self._next_weight:
            return False
        self._weight = self._meter(self._limits.memory)
        ended = time.monotonic()
        near = 4 * self._weight > self._limits.memory
        self._weight_pause = max(NEAR if near else FAR, min((ended - started) / SHARE, 2 * TURN))
        self._next_weight = ended + self._weight_pause
        return self._weight > self._limits.memory

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
        pause = TURN if self._meter is None else min(TURN, self._weight_pause)
        return max(0.0, min(self._deadline - time.monotonic(), pause))

    def must_end(self) -> bool:
        """Whether the command must be killed now: over its disk, memory, processes or time, or cancelled."""
        if self._budget.spent():
            self.why = "budget"
        elif self._too_heavy():
            self.why = "memory"
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
        if self.why == "memory":
            said = (
                f"\nneeded more than {self._limits.memory >> 20} MiB of memory: {self._weight >> 20} MiB were in its "
                f"processes, in what they share, in /tmp and /dev/shm, at a look every {1000 * NEAR:g} ms at most\n"
            )
            self.log_output(said.encode())
        return Outcome(
            exit=int(self.why in ("processes", "memory")) if self.why or signal else code,
            signal=0 if self.why else signal,
            oom=oom or self.why == "memory",
            timed_out=self.why == "deadline",
            cancelled=self.why == "cancel",
            over=self._budget.over or self._budget.spent(now=True),
            usage={**(usage or {}), "wall_ms": round(1000 * (time.monotonic() - self._started))},
            isolation=isolation,
            log=bytes(self.log),
        )
