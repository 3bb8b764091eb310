"""What agents leave in a store: attempts with their transcripts, marks of hidden data, and runs that they asked for.

An attempt is in a folder of `runs/` from its start, and its start and end are in the list of runs; a journal and a
record are added to the transcript when it is scored. Data that any manifest hides from agents is marked, by digests of
files and rows, for all users of the store.

Of a run that an agent asked for, what was asked is written before anything runs, and never changed. The run's process
holds a lock as long as it lives, so that a reader knows whether a run goes on or was killed, even if the server has
ended. Only that process writes the state of its run; a request to stop it is a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from harness.clock import current_time, time_after
from harness.digest import encode_document, parse_document, sha256
from harness.errors import DamageError, InputError
from harness.store.journal import AttemptEvent, Chain, HeadEvent, check_chain
from harness.store.store import Store
from harness.store.tree import MOST_LOG, MOST_NOTE

ASKED_FOLDER, ASKED, STATE, STOP = "asked", "asked-run/1", "asked-state/1", "asked-stop/1"
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
    store.tree.make_folder(ASKED_FOLDER)
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
    for name in store.tree.list_names(ASKED_FOLDER):
        run, _, rest = name.partition(".")
        asked = read_asked(store, run) if rest == "asked.json" else None
        if asked and principal in ("", asked.principal):
            yield asked


def hold_run_lock(store: Store, run: str) -> AbstractContextManager[bool]:
    """Context manager that holds the lock of a run's process as long as it lives."""
    return store.lock(f"{ASKED_FOLDER}-{run}")


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
    with store.lock(f"{ASKED_FOLDER}-{asked.run}", exclusive=False, wait=False) as free:
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
    return f"{ASKED_FOLDER}/{run}.{what}.json"


TRANSCRIPT: Final = "transcript/1"  # the type of its lines
FILE = "transcript.jsonl"
STARTED, CLOSED = "attempt.started", "attempt.closed"
ATTEMPT_ID = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9a-f]{32}")
VIEWS = "views"  # the folder of the data that agents may see


@dataclass(frozen=True)
class ListedAttempt:
    """An attempt on the list of runs: the digests of its transcript's first line and, once it is closed, its last."""

    attempt: str
    started: str
    closed: str = ""


def transcript_path(store: Store, attempt: str) -> Path:
    """Return the path of an attempt's transcript; raises InputError for a text that is not an attempt's id."""
    if not ATTEMPT_ID.fullmatch(attempt):
        raise _unknown(attempt, store)
    return store.runs / attempt / FILE


def attempt_ids(store: Store) -> list[str]:
    """Return the ids of the attempts in a store, scored or not, the oldest first."""
    named = (name for name in store.run_ids() if ATTEMPT_ID.fullmatch(name))
    return [name for name in named if store.tree.is_file(store.runs / name / FILE)]


def find_attempt(store: Store, name: str) -> str:
    """Return the id of an attempt from the id or an unambiguous prefix; raises InputError if none or several match."""
    found = [attempt for attempt in attempt_ids(store) if name and attempt.startswith(name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(
            f"{len(found)} attempts begin with {name!r}", where=str(store.runs), next=f"choose: {', '.join(found[:5])}"
        )
    raise _unknown(name, store)


def attempt_of_run(run: str) -> str:
    """Return the attempt that a run scored: the run's name, without the number of a repeated scoring."""
    return run.partition(".")[0]


def listed_attempts(heads: Chain[HeadEvent]) -> dict[str, ListedAttempt]:
    """Return the attempts on the list of runs by id, in the order of their start."""
    found: dict[str, ListedAttempt] = {}
    for event in heads.events:
        attempt = str(event["run"])
        if event["event"] == STARTED:
            found.setdefault(attempt, ListedAttempt(attempt, event["journal"]))
        elif event["event"] == CLOSED and attempt in found and not found[attempt].closed:
            found[attempt] = ListedAttempt(attempt, found[attempt].started, event["journal"])
    return found


def read_transcript(store: Store, attempt: str) -> Chain[AttemptEvent]:
    """Read an attempt's transcript as far as it is valid; raises InputError if there is none."""
    path = transcript_path(store, attempt)
    if not store.tree.is_file(path):
        raise _unknown(attempt, store)
    return check_chain(store.tree.read_file(path, MOST_LOG), TRANSCRIPT)


def transcript_flaws(chain: Chain[AttemptEvent], known: ListedAttempt | None) -> Iterator[str]:
    """Yield how a transcript and the list of runs disagree; a torn end of an open attempt is not a disagreement."""
    if chain.broken:
        yield f"the transcript is broken at {chain.broken}"
    elif not chain.events or chain.events[0]["event"] != STARTED:
        yield "the transcript does not begin with the start of an attempt"
    elif known is None:
        yield "the list of runs does not name this attempt"
    elif chain.lines[0] != known.started:
        yield "the transcript does not begin as the list of runs says"
    elif known.closed and (chain.head != known.closed or chain.torn):
        yield "the transcript does not end as the list of runs says"


def follow_transcript(store: Store, attempt: str) -> Chain[AttemptEvent]:
    """Read a transcript that the list of runs confirms; raises DamageError if they disagree."""
    chain = read_transcript(store, attempt)
    for flaw in transcript_flaws(chain, listed_attempts(store.heads.read()).get(attempt)):
        raise DamageError(flaw, where=attempt, next=f"`harness attempts verify {attempt}` says more")
    return chain


def _unknown(name: str, store: Store) -> InputError:
    return InputError(f"no attempt is called {name[:80]!r}", where=str(store.runs), next="`harness attempts ls`")


FOLDER, KIND, ENDING = "hidden", "hidden/1", ".json"


@dataclass(frozen=True)
class SplitData:
    """What a split is known by: the digests of its source files, and of the questions of its items."""

    name: str  # name of the manifest
    split: str
    files: frozenset[str]
    rows: frozenset[str] = frozenset()

    def shares(self, other: SplitData) -> bool:
        """Whether two splits have a source file or an item's question in common."""
        return not (self.files.isdisjoint(other.files) and self.rows.isdisjoint(other.rows))


def mark_hidden(store: Store, data: SplitData) -> None:
    """Mark the data of a split as hidden, permanently; a mark is never removed."""
    said = encode_document(
        {"type": KIND, "name": data.name, "split": data.split, "files": sorted(data.files), "rows": sorted(data.rows)}
    )
    place = f"{FOLDER}/{sha256(said)}{ENDING}"
    if not store.tree.is_file(place):
        store.tree.make_folder(FOLDER)
        store.tree.write_file(place, said, mode=0o600)


def hidden_data(store: Store) -> Iterator[SplitData]:
    """Yield the hidden data of a store; raises DamageError for a mark that does not match its name."""
    for name in store.tree.list_names(FOLDER):
        place = f"{FOLDER}/{name}"
        said = store.tree.read_file(place, MOST_LOG)
        if f"{sha256(said)}{ENDING}" != name:
            raise DamageError(
                "this mark of hidden data was changed",
                where=f"{store.root}/{place}",
                next="delete it and `harness lock` the manifests that hide data again, before agents are served",
            )
        mark = parse_document(said, KIND, place)
        yield SplitData(str(mark["name"]), str(mark["split"]), frozenset(mark["files"]), frozenset(mark["rows"]))
