"""The verbs of those who keep attempts: list, show, abandon, score again, verify their transcripts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from pydantic import Field

from harness import clock
from harness.attempts.transcript import ABANDONED, Transcript, fold
from harness.attempts.transcript import EXPIRED as RAN_OUT
from harness.errors import AGREED, DISAGREED, HarnessError, InputError
from harness.run.attempts.score import (
    FAILED,
    OPEN,
    SCORED,
    SEALED,
    attempt_outcome,
    attempt_table,
    note_end,
    score_attempt,
)
from harness.run.attempts.score import verify_transcript as verify
from harness.store.attempts import (
    ListedAttempt,
    attempt_ids,
    find_attempt,
    follow_transcript,
    listed_attempts,
    read_transcript,
    transcript_flaws,
    transcript_path,
)
from harness.store.journal import Chain
from harness.store.store import Store
from harness.verbs.project import EngineRequest, Project, Request, Result, Watch

ATTEMPT = "An attempt's id, or an unambiguous beginning of one."
DAMAGED, EXPIRED = "damaged", "expired"


class AttemptsRequest(Request):
    """Request of `list_attempts`: of which manifest, and how many at most."""

    manifest: str = Field(default="", description="Only attempts at the manifest of this name.")
    most: int = Field(default=20, ge=0, description="How many attempts, newest first; 0: all.")


class AttemptData(Result):
    """One attempt: at what, by whom, how far it is, and its counts."""

    attempt: str
    status: str  # open | expired | closed | scoring | scored | sealed | failed | damaged
    manifest: str = ""
    split: str = ""
    subset: str = ""
    label: str = ""
    principal: str = ""
    started: str = ""
    items: int = 0
    answered: int = 0
    abstained: int = 0
    missing: int = 0
    calls: int = 0
    hidden: bool = False
    gold_reachable: bool = True
    run: str = ""  # that scored it


class AttemptsResult(Result):
    """Result of `list_attempts`: attempts, newest first, and how many more there are."""

    attempts: list[AttemptData]
    more: int


class AttemptRequest(Request):
    """Request about one attempt."""

    attempt: str = Field(description=ATTEMPT)


class ShowAttemptResult(Result):
    """Result of `show_attempt`: the attempt, what its verdict rests on, its budget and its scores in full."""

    attempt: AttemptData
    rests_on: list[str]
    budget: dict[str, int]
    head: str
    record: str = ""
    why: str = ""  # of a failure
    scores: dict[str, Any] = Field(default_factory=dict)


class RescoreRequest(EngineRequest):
    """Request of `rescore_attempt`: which attempt, and whether one whose scoring failed is tried again."""

    attempt: str = Field(description=ATTEMPT)
    again: bool = Field(default=True, description="Score again one whose scoring failed.")


class VerifyTranscriptRequest(Request):
    """Request of `verify_transcript`: which attempt, and heads that its agent kept."""

    attempt: str = Field(description=ATTEMPT)
    heads: Sequence[str] = Field(default=(), description="Heads that the agent was told: each must be in the chain.")


class VerifyTranscriptResult(Result):
    """Result of `verify_transcript`: the verdict, where the transcript is wrong, and what was made again."""

    attempt: str
    verdict: str  # agreed | disagreed | incomplete
    status: str
    n_records: int
    head: str
    first_bad_seq: int | None = None
    flaws: list[str]
    torn: str
    budget_ok: bool
    manifest_match: bool
    canary_hits: int
    reads: int
    differing: list[int]
    unread: str
    gold_reachable: bool | None = None

    @property
    def code(self) -> int:
        """Exit code: 0 only for `agreed`."""
        return AGREED if self.verdict == "agreed" else DISAGREED


def attempt_named(project: Project, name: str) -> str:
    """Find the whole id of an attempt by an unambiguous beginning of it."""
    return find_attempt(project.open(), name)


def list_attempts(project: Project, asked: AttemptsRequest | None = None) -> AttemptsResult:
    """List the attempts of the store, scored or not, the newest first."""
    asked, store = asked or AttemptsRequest(), project.open()
    found: list[AttemptData] = []
    more = 0
    known = listed_attempts(store.heads.read())
    order = {attempt: number for number, attempt in enumerate(known)}
    for attempt in sorted(attempt_ids(store), key=lambda attempt: order.get(attempt, len(order)), reverse=True):
        one = _attempt(store, attempt, known.get(attempt))
        if asked.manifest and one.manifest != asked.manifest:
            continue
        if asked.most and len(found) == asked.most:
            more += 1
        else:
            found.append(one)
    return AttemptsResult(attempts=found, more=more)


def _attempt(store: Store, attempt: str, known: ListedAttempt | None) -> AttemptData:
    chain = read_transcript(store, attempt)
    if list(transcript_flaws(chain, known)):
        return AttemptData(attempt=attempt, status=DAMAGED)
    try:
        return _described(store, attempt, chain)
    except HarnessError:
        return AttemptData(attempt=attempt, status=DAMAGED)


def _described(store: Store, attempt: str, chain: Chain) -> AttemptData:
    begun, state, outcome = chain.events[0], fold(chain.events), attempt_outcome(store, attempt)
    over = outcome.status == OPEN and clock.now() > begun["expires"]
    return AttemptData(
        attempt=attempt,
        status=EXPIRED if over else outcome.status,
        manifest=begun["name"],
        split=begun["split"],
        subset=begun["subset"],
        label=begun["label"],
        principal=begun["principal"],
        started=begun["at"],
        items=begun["items"],
        **state.counts(),
        calls=state.calls,
        hidden=begun["hidden"],
        gold_reachable=begun["gold_reachable"],
        run=outcome.run,
    )


def show_attempt(project: Project, asked: AttemptRequest) -> ShowAttemptResult:
    """Show one attempt and, once it is scored, its scores in full: for operators, of hidden splits too."""
    store = project.open()
    attempt = find_attempt(store, asked.attempt)
    chain = follow_transcript(store, attempt)
    begun, outcome = chain.events[0], attempt_outcome(store, attempt)
    done = outcome.status in (SCORED, SEALED)
    return ShowAttemptResult(
        attempt=_described(store, attempt, chain),
        rests_on=_rests_on(begun),
        budget=dict(begun["budget"]),
        head=chain.head,
        record=outcome.record,
        why=outcome.why if outcome.status == FAILED else "",
        scores=attempt_table(store, outcome.run).document() if done else {},
    )


def _rests_on(begun: dict[str, Any]) -> list[str]:
    """Say what the verdict of an attempt rests on, and what no audit can tell."""
    said = ["the answers are an agent's, taken on trust: its verdict is at most `unconfirmed`"]
    if begun["gold_reachable"]:
        said.append("gold_reachable: the agent ran as a user who could read the right answers in the store")
    else:
        said.append("the agent ran as a user who could not read the store when the attempt began")
    if begun["principal"].startswith("local:"):
        said.append("the principal is a user of this machine: limits on attempts are advice to that user")
    return said


def abandon_attempt(project: Project, asked: AttemptRequest) -> ShowAttemptResult:
    """Close an attempt that nobody goes on with; what was answered so far stays, and can be scored."""
    store = project.open()
    attempt = find_attempt(store, asked.attempt)
    chain = follow_transcript(store, attempt)
    if attempt_outcome(store, attempt).status != OPEN:
        raise InputError("this attempt has ended", where=attempt, next=f"`harness attempts show {attempt}`")
    handle = store.tree.open_log(transcript_path(store, attempt), make=False)
    try:
        transcript = Transcript(handle)
    except BaseException:
        os.close(handle)
        raise
    try:
        transcript.end(RAN_OUT if clock.now() > chain.events[0]["expires"] else ABANDONED).result()
        note_end(store, attempt, transcript.head)
    finally:
        transcript.close()
    return show_attempt(project, AttemptRequest(attempt=attempt))


def rescore_attempt(project: Project, asked: RescoreRequest, watch: Watch | None = None) -> ShowAttemptResult:
    """Score a closed attempt of anybody, for an operator; one that is scored stays as it is."""
    watch = watch or Watch()
    attempt = find_attempt(project.open(), asked.attempt)
    place = asked.place(project, watch)
    score_attempt(
        project.root, place, attempt, homes=project.homes, again=asked.again, progress=watch.task(f"score {attempt}")
    )
    return show_attempt(project, AttemptRequest(attempt=attempt))


def verify_transcript(project: Project, asked: VerifyTranscriptRequest) -> VerifyTranscriptResult:
    """Verify a transcript: its chain, the list of runs, budget, counts, manifest; its reads are made again."""
    store = project.open()
    found = verify(store, find_attempt(store, asked.attempt), asked.heads)
    said: dict[str, Any] = {}
    if found.first_bad is not None:
        said["first_bad_seq"] = found.first_bad
    if found.header:
        said["gold_reachable"] = found.header["gold_reachable"]
    return VerifyTranscriptResult(
        attempt=found.attempt,
        verdict=found.verdict,
        status=found.status,
        n_records=found.records,
        head=found.head,
        flaws=found.flaws,
        torn=found.torn,
        budget_ok=found.budget_ok,
        manifest_match=found.manifest_match,
        canary_hits=found.canary_hits,
        reads=found.reads,
        differing=list(found.differing),
        unread=found.unread,
        **said,
    )
