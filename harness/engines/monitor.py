"""What every engine sees to while a command runs: its time, the user's word, its disk, and what it prints."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from harness.engines.disk_budget import SHARE, DiskBudget
from harness.engines.engine import Limits, Outcome

TURN = 0.1  # seconds between two looks


class JobMonitor:
    """Watches one command: says when it must be ended and why, hears what it prints, and tells how it ended."""

    def __init__(
        self,
        limits: Limits,
        on_log: Callable[[bytes], None],
        cancel: threading.Event,
        folders: tuple[Path, ...] = (),  # those the command may fill
    ) -> None:
        self.why = ""  # the command was ended: budget | cancel | crowd | deadline
        self.log = bytearray()  # the end of what it printed
        self._limits, self._on_log, self._cancel = limits, on_log, cancel
        self._budget = DiskBudget(folders, limits)
        self._started = time.monotonic()
        self._crowd: Callable[[], int] | None = None
        self._look = 0.0
        self.begin()

    def begin(self) -> None:
        """Count the command's time from now: making the place it runs in is not its own."""
        self._deadline = time.monotonic() + self._limits.seconds

    def count(self, crowd: Callable[[], int]) -> None:
        """Count the command's processes from now, where the kernel bounds no number of them."""
        self._crowd = crowd

    def _crowded(self) -> bool:
        started = time.monotonic()
        if self._crowd is None or started < self._look:
            return False
        many = self._crowd() > self._limits.processes
        ended = time.monotonic()
        self._look = ended + max(TURN, (ended - started) / SHARE)
        return many

    @property
    def turn(self) -> float:
        """Give the seconds to wait before the next look."""
        return max(0.0, min(self._deadline - time.monotonic(), TURN))

    def ends(self) -> bool:
        """Whether the command is to be ended now, for a reason that is not its own."""
        if self._budget.spent():
            self.why = "budget"
        elif self._crowded():
            self.why = "crowd"
        elif self._cancel.is_set():
            self.why = "cancel"
        elif time.monotonic() >= self._deadline:
            self.why = "deadline"
        return bool(self.why)

    def hear(self, text: bytes) -> None:
        """Hand on what the command printed, and keep the end of it."""
        self._on_log(text)
        self.log += text
        del self.log[: -self._limits.log_bytes]

    def outcome(
        self, code: int, isolation: str, *, oom: bool = False, usage: Mapping[str, int] | None = None
    ) -> Outcome:
        """Tell how the command ended; a code below 0, or above 128 by a shell's word, is a signal."""
        signal = max(-code, code - 128, 0)
        if self.why == "crowd":
            said = f"\nmore than {self._limits.processes} processes at once, which is all that a step may have\n"
            self.hear(said.encode())
        return Outcome(
            exit=int(self.why == "crowd") if self.why or signal else code,
            signal=0 if self.why else signal,
            oom=oom,
            timed_out=self.why == "deadline",
            cancelled=self.why == "cancel",
            over=self._budget.over or self._budget.spent(now=True),
            usage={**(usage or {}), "wall_ms": round(1000 * (time.monotonic() - self._started))},
            isolation=isolation,
            log=bytes(self.log),
        )
