"""The log of a session: calls that concern no open attempt. Light, since the supervisor begins one, too."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.attempts.chain_log import ChainLog, create
from harness.store.tree import StoreTree

KIND = "session/1"


def begin_session(path: Path, fields: Mapping[str, Any], tree: StoreTree | None = None) -> str:
    """Write the first line of a session's log: principal, profile, versions, fingerprint of the tools."""
    return create(path, KIND, "session.started", fields, tree)


def session_log(handle: int) -> ChainLog:
    """Open a session's log behind a descriptor; where it was written to before, it says so."""
    log = ChainLog(handle, KIND)
    reopened, log.found = log.torn > 0 or len(log.found) > 1, ()
    if reopened:
        log.add("reopened", {"cut": log.mend()})
    return log
