"""The verb `runs`: the runs of a store, newest first, each checked against the store's list of runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from harness.errors import HarnessError
from harness.evidence.record import read_record, spell_healed
from harness.manifest.lockfile import read_lock
from harness.store.listed import Listed, listed, started
from harness.store.store import Store
from harness.verbs.project import Project, Request, Result

DAMAGED, UNENDED = "damaged", "unended"


class RunsRequest(Request):
    """Request of `runs`: of which manifest, and how many at most."""

    manifest: str = Field(default="", description="Only runs of the manifest of this name.")
    most: int = Field(default=20, ge=0, description="How many runs, newest first; 0: all.")


class ListedRun(Result):
    """One run in the list: when it began, of which manifest, where, and how it ended."""

    run: str
    manifest: str
    started: str
    engine: str
    status: str  # done | failed | interrupted | incomplete | unended | damaged
    steps: dict[str, int] = Field(default_factory=dict)
    limit: int = 0
    healed: dict[str, int] = Field(default_factory=dict)  # damage of the store that it met and made anew: steps, blobs

    @property
    def healed_text(self) -> str:
        """What damage of its store the run met and made anew; empty where it met none."""
        return spell_healed(self.healed)


class RunsResult(Result):
    """Result of `runs`: runs, newest first, and how many more there are."""

    runs: list[ListedRun]
    more: int


def runs(project: Project, asked: RunsRequest | None = None) -> RunsResult:
    """List the runs of the store, the newest first: all, or those of one manifest, at most as many as requested."""
    asked, store = asked or RunsRequest(), project.open()
    names: dict[str, str] = {}
    found: list[ListedRun] = []
    more, known_runs = 0, listed(store)
    for known in reversed(known_runs.values()):
        begun = started(store, known)
        lock = str(begun["lock"]) if begun else ""
        if lock not in names:
            names[lock] = _name(store, lock)
        if asked.manifest and names[lock] != asked.manifest:
            continue
        if asked.most and len(found) == asked.most:
            more += 1
        elif begun is None:
            found.append(ListedRun(run=known.run, manifest="", started="", engine="", status=DAMAGED))
        else:
            one = ListedRun(
                run=known.run, manifest=names[lock], started=begun["at"], engine=begun["engine"],
                **_ended(store, known, known_runs), **({"limit": begun["limit"]} if "limit" in begun else {}),
            )  # fmt: skip
            found.append(one)
    return RunsResult(runs=found, more=more)


def _name(store: Store, lock: str) -> str:
    try:
        return str(read_lock(store.blobs.read(lock), "lock").intent["name"]) if lock else ""
    except (HarnessError, LookupError):
        return ""


def _ended(store: Store, known: Listed, runs: Mapping[str, Listed]) -> dict[str, Any]:
    if not known.ended:
        return {"status": UNENDED}
    try:
        body = read_record(store, known.run, runs).body
    except HarnessError:
        return {"status": DAMAGED}
    healed = {"healed": dict(body["healed"])} if "healed" in body else {}
    return {"status": body["status"], "steps": dict(body["steps"]), **healed}
