"""Attempts in a store: their transcripts, what the list of runs says of their start and end, and marks of hidden data.

An attempt lies in a folder of `runs/` from its start; a journal and a record come beside the transcript when it is
scored. What any manifest hides from agents is marked, by digests of files and rows, for all that share the store. What
a transcript, a question or an answer means is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.digest import document, parse, sha256
from harness.errors import DamageError, InputError
from harness.store.journal import Chain, check_chain
from harness.store.reader import MOST_LOG
from harness.store.store import Store

TRANSCRIPT = "transcript/1"  # the type of its lines
FILE = "transcript.jsonl"
STARTED, CLOSED = "attempt.started", "attempt.closed"
ATTEMPT_ID = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9a-f]{32}")
VIEWS = "views"  # the folder of what agents may see


@dataclass(frozen=True)
class ListedAttempt:
    """An attempt on the list of runs: the digests of its transcript's first line and, once it is closed, its last."""

    attempt: str
    started: str
    closed: str = ""


def transcript_path(store: Store, attempt: str) -> Path:
    """Make the path of an attempt's transcript; InputError for a text that is no attempt's id."""
    if not ATTEMPT_ID.fullmatch(attempt):
        raise _unknown(attempt, store)
    return store.runs / attempt / FILE


def attempt_ids(store: Store) -> list[str]:
    """List the attempts of a store, scored or not, the oldest first."""
    named = (name for name in store.run_ids() if ATTEMPT_ID.fullmatch(name))
    return [name for name in named if store.tree.is_file(store.runs / name / FILE)]


def find_attempt(store: Store, name: str) -> str:
    """Find the id of an attempt by the id or an unambiguous prefix; InputError where none or several fit."""
    found = [attempt for attempt in attempt_ids(store) if name and attempt.startswith(name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(
            f"{len(found)} attempts begin with {name!r}", where=str(store.runs), next=f"choose: {', '.join(found[:5])}"
        )
    raise _unknown(name, store)


def attempt_of(run: str) -> str:
    """Return the attempt that a run of this name scored: its name, or what stands before the number of a new try."""
    return run.partition(".")[0]


def listed_attempts(heads: Chain) -> dict[str, ListedAttempt]:
    """Collect what the list of runs says of each attempt, in the order of their start."""
    found: dict[str, ListedAttempt] = {}
    for event in heads.events:
        attempt = str(event["run"])
        if event["event"] == STARTED:
            found.setdefault(attempt, ListedAttempt(attempt, event["journal"]))
        elif event["event"] == CLOSED and attempt in found and not found[attempt].closed:
            found[attempt] = ListedAttempt(attempt, found[attempt].started, event["journal"])
    return found


def read_transcript(store: Store, attempt: str) -> Chain:
    """Read an attempt's transcript as far as it is valid; InputError where there is none."""
    path = transcript_path(store, attempt)
    if not store.tree.is_file(path):
        raise _unknown(attempt, store)
    return check_chain(store.tree.read_file(path, MOST_LOG), TRANSCRIPT)


def transcript_flaws(chain: Chain, known: ListedAttempt | None) -> Iterator[str]:
    """Say how a transcript and the list of runs disagree; a torn end of an open attempt is no disagreement."""
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


def follow_transcript(store: Store, attempt: str) -> Chain:
    """Read a transcript that the list of runs vouches for; DamageError where the two disagree."""
    chain = read_transcript(store, attempt)
    for flaw in transcript_flaws(chain, listed_attempts(store.heads.read()).get(attempt)):
        raise DamageError(flaw, where=attempt, next=f"`harness attempts verify {attempt}` says more")
    return chain


def _unknown(name: str, store: Store) -> InputError:
    return InputError(f"no attempt is called {name[:80]!r}", where=str(store.runs), next="`harness attempts ls`")


FOLDER, KIND, ENDING = "hidden", "hidden/1", ".json"


@dataclass(frozen=True)
class SplitData:
    """Data of a split of a manifest: digests of the files that it is made from, and of what its items ask."""

    name: str  # of the manifest
    split: str
    files: frozenset[str]
    rows: frozenset[str] = frozenset()

    def shares(self, other: SplitData) -> bool:
        """Whether a file, or the question of an item, is in both."""
        return not (self.files.isdisjoint(other.files) and self.rows.isdisjoint(other.rows))


def mark_hidden(store: Store, data: SplitData) -> None:
    """Mark the data of a split as hidden, for good: a mark is never taken back."""
    said = document(
        {"type": KIND, "name": data.name, "split": data.split, "files": sorted(data.files), "rows": sorted(data.rows)}
    )
    place = f"{FOLDER}/{sha256(said)}{ENDING}"
    if not store.tree.is_file(place):
        store.tree.make_folder(FOLDER)
        store.tree.write_file(place, said, mode=0o600)


def hidden_data(store: Store) -> Iterator[SplitData]:
    """Read what is hidden in a store; DamageError for a mark that is not what its name says."""
    for name in store.tree.list_names(FOLDER):
        place = f"{FOLDER}/{name}"
        said = store.tree.read_file(place, MOST_LOG)
        if f"{sha256(said)}{ENDING}" != name:
            raise DamageError(
                "this mark of hidden data was changed",
                where=f"{store.root}/{place}",
                next="delete it and `harness lock` the manifests that hide data again, before agents are served",
            )
        mark = parse(said, KIND, place)
        yield SplitData(str(mark["name"]), str(mark["split"]), frozenset(mark["files"]), frozenset(mark["rows"]))
