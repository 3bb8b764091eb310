"""Progress of a transfer: counters of bytes moved. They know neither what the bytes are nor where they go."""

from __future__ import annotations

from collections.abc import Callable

Meter = Callable[[int], None]  # is told how many more bytes were moved


def ignore_progress(count: int) -> None:
    """Progress callback that does nothing."""


class ByteCounter:
    """Counter of the bytes of one attempt, which subtracts them again when the attempt fails."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._moved = 0

    def __call__(self, count: int) -> None:
        """Add a number of bytes."""
        self._moved += count
        self._meter(count)

    def undo(self) -> None:
        """Subtract everything this attempt added."""
        self._meter(-self._moved)
        self._moved = 0
