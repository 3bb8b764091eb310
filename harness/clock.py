"""The only place that asks what time it is: UTC, for events and for names, never for anything that is computed."""

from __future__ import annotations

import datetime
import secrets


def now() -> str:
    """Say the time the way every event does: UTC, milliseconds."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def stamp() -> str:
    """Name something that begins now: the UTC second and 8 random hex digits."""
    return f"{datetime.datetime.now(datetime.UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"
