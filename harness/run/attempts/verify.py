"""Verification of transcripts: chain, list of runs, budget, counts, manifest, and the reads made again from the view.

It reads an attempt as it lies, open or closed, and changes nothing. Heads that an agent kept are held against the
chain: whoever rewrote it since cannot have known them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.attempts.reads import ViewReader
from harness.attempts.replay import replay
from harness.attempts.transcript import AttemptState, fold, item_id
from harness.errors import DamageError, HarnessError, InputError
from harness.evidence.audit.answers import budget_flaws, canary_hits
from harness.manifest.load import parse_manifest
from harness.manifest.lockfile import read_lock
from harness.run.attempts.score import attempt_outcome
from harness.run.attempts.view import read_view
from harness.store.attempts import listed_attempts, read_transcript, transcript_flaws
from harness.store.journal import Chain, Event
from harness.store.store import Store

AGREED, DISAGREED, INCOMPLETE = "agreed", "disagreed", "incomplete"


@dataclass
class VerifiedTranscript:
    """What a verification found. `first_bad` is the number of the first record that is not as it was written."""

    attempt: str
    status: str
    records: int
    head: str
    torn: str = ""
    first_bad: int | None = None
    flaws: list[str] = field(default_factory=list)
    budget_ok: bool = True
    manifest_match: bool = True
    canary_hits: int = 0
    reads: int = 0  # that were made again
    differing: tuple[int, ...] = ()  # the records of reads that gave something else
    unread: str = ""  # why no read was made again
    header: dict[str, Any] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """`disagreed` where anything is wrong, `incomplete` where the end is torn or reads could not be made again."""
        if self.flaws or self.differing or not self.budget_ok or not self.manifest_match:
            return DISAGREED
        return INCOMPLETE if self.torn or self.unread else AGREED


def verify_transcript(store: Store, attempt: str, heads: Sequence[str] = ()) -> VerifiedTranscript:
    """Verify the transcript of an attempt; InputError where there is none of this id."""
    chain = read_transcript(store, attempt)
    found = VerifiedTranscript(attempt, "broken", len(chain.events), chain.head, chain.torn)
    known = listed_attempts(store.heads.read()).get(attempt)
    found.flaws += transcript_flaws(chain, known)
    found.flaws += [f"no record has the head {head[:64]}" for head in heads if head not in chain.lines]
    if chain.broken or not chain.events:
        found.first_bad = len(chain.events)
        return found
    begun = chain.events[0]
    try:
        state = fold(chain.events)
    except DamageError as bad:
        found.flaws.append(bad.what)
        found.first_bad = 0
        return found
    found.header = {name: begun[name] for name in ("name", "split", "hidden", "gold_reachable", "principal", "label")}
    found.status = attempt_outcome(store, attempt).status
    found.flaws += state.flaws
    late = list(budget_flaws(chain))
    found.budget_ok = not late
    found.flaws += late
    found.canary_hits = canary_hits(state)
    found.manifest_match = _matches(store, begun, found.flaws)
    _replay(store, chain, state, found)
    return found


def _matches(store: Store, begun: Event, flaws: list[str]) -> bool:
    """Whether manifest and lock that the transcript names are in the store, and belong together."""
    try:
        manifest = parse_manifest(store.blobs.read(begun["manifest"]), "manifest")[0]
        lock = read_lock(store.blobs.read(begun["lock"]), "lock")
    except HarnessError as bad:
        flaws.append(bad.what)
        return False
    if same := (lock.manifest_sha256, manifest.name) == (begun["manifest"], begun["name"]):
        return same
    flaws.append("the lock or the name that the transcript names is not that of its manifest")
    return False


def _replay(store: Store, chain: Chain, state: AttemptState, found: VerifiedTranscript) -> None:
    """Make the reads of a transcript again, from the view that it names."""
    try:
        view = read_view(store, str(state.header["view"]))
        if view is None or (view.media, dict(view.control)) != (state.header["media"], dict(state.header["canary"])):
            raise InputError("the view is not the one that the transcript names")
        handles = [os.open(path, os.O_RDONLY | os.O_CLOEXEC) for path in (view.items_file, view.media_file)]
    except (HarnessError, OSError) as bad:
        found.unread = getattr(bad, "what", "") or "the view cannot be read"
        return
    reader = ViewReader(*handles)
    try:
        again = replay(chain.events, reader)
        known = {item_id(state.secret, key) for key in reader.places}
    finally:
        reader.close()
    found.reads, found.differing = again.reads, again.differing
    strange = [answer.record for name, answer in state.answers.items() if name not in known]
    found.flaws += [f"record {record} answers an item that the view does not have" for record in strange]
    if state.header["items"] != view.items:
        found.flaws.append("the transcript counts other items than the view has")
