"""Runs that agents asked for, in a store: what was asked, how each stands, and which were asked to stop.

What is asked is written before anything runs, and never changed. The run's process holds a lock as long as it lives, so
that a reader knows whether a run goes on or was killed, even if the server has ended. Only that process writes the
state of its run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from typing import Any

from harness.clock import current_time, time_after
from harness.digest import encode_document, parse_document
from harness.store.store import Store
from harness.store.tree import MOST_NOTE

FOLDER, ASKED, STATE, STOP = "asked", "asked-run/1", "asked-state/1", "asked-stop/1"
RUN_ID = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}")
BEGUN, RUNNING = "starting", "running"
DONE, FAILED, STOPPED, OVER_BUDGET = "done", "failed", "cancelled", "over-budget"  # how a run ends by itself
KILLED, NEVER = "killed", "not-begun"  # how it ends otherwise
ENDED = frozenset((DONE, FAILED, STOPPED, OVER_BUDGET, KILLED, NEVER))
SOON = 120  # seconds that a process may take until it says that it is there


@dataclass(frozen=True)
class AskedRun:
    """An agent's request for a run: who asks, under which key, for which manifest, with which budget."""

    run: str
    principal: str
    key: str
    manifest: str  # its name
    path: str  # in the project
    sha256: str  # of its bytes
    overrides: Mapping[str, str]
    seconds: int
    dollars: str
    engine: Mapping[str, str]  # options of the server that are the run's too
    client: str = ""
    session: str = ""
    at: str = field(default_factory=current_time)

    @property
    def wanted(self) -> tuple[object, ...]:
        """The fields that must be equal for a repeated key to mean the same run."""
        return self.manifest, dict(self.overrides), self.seconds, self.dollars


def write_asked(store: Store, asked: AskedRun) -> None:
    """Write durably what an agent asked of a run, before the run begins."""
    store.tree.make_folder(FOLDER)
    store.tree.write_file(_place(asked.run, "asked"), encode_document({"type": ASKED, **asdict(asked)}), mode=0o600)


def read_asked(store: Store, run: str) -> AskedRun | None:
    """Return what was asked of a run; None if no agent asked for it."""
    data = store.tree.find_file(_place(run, "asked"), MOST_NOTE) if RUN_ID.fullmatch(run) else None
    if data is None:
        return None
    said = parse_document(data, ASKED, _place(run, "asked"))
    return AskedRun(**{name: value for name, value in said.items() if name != "type"})


def asked_runs(store: Store, principal: str = "") -> Iterator[AskedRun]:
    """Yield the runs that agents asked for, or those of one principal, the oldest first."""
    for name in store.tree.list_names(FOLDER):
        run, _, rest = name.partition(".")
        asked = read_asked(store, run) if rest == "asked.json" else None
        if asked and principal in ("", asked.principal):
            yield asked


def hold_run_lock(store: Store, run: str) -> AbstractContextManager[bool]:
    """Context manager that holds the lock of a run's process as long as it lives."""
    return store.lock(f"{FOLDER}-{run}")


def write_state(store: Store, run: str, state: str, **more: Any) -> None:
    """Write the state of a run that an agent asked for; only the run's own process calls this."""
    said = {"type": STATE, "state": state, "at": current_time(), **more}
    store.tree.write_file(_place(run, "state"), encode_document(said), mode=0o600)


def has_state(store: Store, run: str) -> bool:
    """Whether the process of a run has written the run's state."""
    return store.tree.is_file(_place(run, "state"))


def read_state(store: Store, asked: AskedRun) -> Mapping[str, Any]:
    """Return the state of a run that an agent asked for: `state`, and what the run's process wrote last.

    The lock is looked at first: if it is free, nothing is written any more.
    """
    with store.lock(f"{FOLDER}-{asked.run}", exclusive=False, wait=False) as free:
        pass
    data = store.tree.find_file(_place(asked.run, "state"), MOST_NOTE)
    said = dict(parse_document(data, STATE, _place(asked.run, "state"))) if data is not None else {}
    said.pop("type", None)
    if said.get("state") in ENDED or not free:
        return {"state": BEGUN, **said}
    if said:
        return {**said, "state": KILLED}
    return {"state": NEVER if _long_ago(asked.at) else BEGUN, "at": asked.at}


def ask_to_stop(store: Store, run: str, reason: str) -> None:
    """Ask the process of a run to stop the run; the process looks for this twice a second."""
    if not wants_stop(store, run):
        said = encode_document({"type": STOP, "reason": reason, "at": current_time()})
        store.tree.write_file(_place(run, "stop"), said, mode=0o600)


def wants_stop(store: Store, run: str) -> bool:
    """Whether a run was asked to stop."""
    return store.tree.is_file(_place(run, "stop"))


def _long_ago(at: str) -> bool:
    return time_after(at, SOON) < current_time()


def _place(run: str, what: str) -> str:
    return f"{FOLDER}/{run}.{what}.json"
