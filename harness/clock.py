"""The only place that asks what time it is: UTC, for events and for names, never for anything that is computed."""

from __future__ import annotations

import datetime
import secrets
import time

MONOTONE = "monotone"  # what a journal says of its times since they never step back


class Clock:
    """A clock that begins with the time of day and only goes forward, whatever somebody sets meanwhile."""

    def __init__(self) -> None:
        self._begun = datetime.datetime.now(datetime.UTC)
        self._since = time.monotonic()

    def now(self) -> str:
        """Say the time the way every event does: UTC, milliseconds."""
        passed = datetime.timedelta(seconds=time.monotonic() - self._since)
        return (self._begun + passed).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def now() -> str:
    """Say the time by the clock of the day."""
    return Clock().now()


def stamp() -> str:
    """Name something that begins now: the UTC second and 8 random hex digits."""
    return f"{datetime.datetime.now(datetime.UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"
