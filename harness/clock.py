"""Clocks, in one place: UTC time stamps for events and names, which are never an input of a computation."""

from __future__ import annotations

import datetime
import secrets
import time

MONOTONE = "monotone"  # the mark in a journal whose time stamps never step back


class Clock:
    """Monotonic UTC clock: starts at the time of day and only goes forward, even if the system's clock is set back."""

    def __init__(self) -> None:
        self._begun = datetime.datetime.now(datetime.UTC)
        self._since = time.monotonic()

    def now(self) -> str:
        """Return the current UTC time stamp, ISO 8601 with milliseconds; never earlier than the one before."""
        passed = datetime.timedelta(seconds=time.monotonic() - self._since)
        return (self._begun + passed).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def current_time() -> str:
    """Return a time stamp of the system's clock, which may step back: UTC, ISO 8601 with milliseconds."""
    return Clock().now()


def time_after(time_stamp: str, seconds: int) -> str:
    """Return the time stamp `seconds` after `time_stamp`, in the same form, so that both compare as texts."""
    later = datetime.datetime.fromisoformat(time_stamp) + datetime.timedelta(seconds=seconds)
    return later.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def unique_stamp(size: int = 4) -> str:
    """Return a unique name made of the current UTC second and `size` random bytes in hex."""
    return f"{datetime.datetime.now(datetime.UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(size)}"
