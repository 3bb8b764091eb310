"""Verbs on agents' attempts and their clients: calls of an attempt; list, show, abandon, score, verify; tokens.

Tokens let clients in over HTTP: make one, list them, revoke those of a principal.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from pydantic import BaseModel, Field

from harness import clock
from harness.attempts import shapes
from harness.attempts.calls import AgentReply, CallFacts
from harness.attempts.codes import ANSWERS, AttemptError
from harness.attempts.session import Session
from harness.attempts.tokens import Token, add_token, read_tokens, revoke_tokens
from harness.attempts.transcript import ABANDONED, Transcript, begin_session, fold_events, open_session_log
from harness.attempts.transcript import EXPIRED as RAN_OUT
from harness.clock import unique_stamp
from harness.errors import AGREED, DISAGREED, HarnessError, InputError
from harness.manifest.load import LoadedManifest
from harness.manifest.schema import manifest_splits
from harness.run.attempts.hidden_splits import require_served
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
from harness.run.attempts.served import ServedProject
from harness.run.attempts.service import LocalBackend, package_versions
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
from harness.store.journal import AttemptEvent, Chain
from harness.store.store import Store
from harness.verbs.project import Project, Result, Watch, choose_target
from harness.verbs.requests import (
    AddTokenRequest,
    AttemptRequest,
    AttemptsRequest,
    ListTokensRequest,
    RescoreRequest,
    RevokeTokensRequest,
    ServeRequest,
    VerifyTranscriptRequest,
)

__all__ = [
    "AddTokenResult",
    "AttemptDoor",
    "AttemptsResult",
    "ShowAttemptResult",
    "StoredToken",
    "TokensResult",
    "VerifyTranscriptResult",
    "abandon_attempt",
    "attempt_backend",
    "attempt_named",
    "finish_attempt",
    "get_item",
    "list_attempts",
    "list_items",
    "list_studies",
    "list_tokens",
    "make_token",
    "new_key",
    "rescore_attempt",
    "score_text",
    "show_attempt",
    "start_attempt",
    "submit_answers",
    "verify_transcript",
    "withdraw_tokens",
]


PYTHON = "python"  # default name of the protocol and of the client for callers in this process
ONE_CALL = "one call"  # the session shared by all calls that each open their own AttemptDoor
OPENING = ("list_studies", "start_attempt")  # tools that need manifests
Shape = TypeVar("Shape", bound=BaseModel)


def new_key() -> str:
    """Return a new, unused idempotency key."""
    return unique_stamp(16)


def local_principal() -> str:
    """Return the principal of callers on this machine that have no token: `local:` and the id of their user."""
    return f"local:{os.geteuid()}"


def attempt_backend(
    project: Project,
    asked: ServeRequest | None = None,
    watch: Watch | None = None,
    *,
    principal: str = "",
    profile: str = "answer",
    opens: bool = True,
) -> LocalBackend:
    """Return the backend of a session for one principal; it works on a project's store.

    With `opens` false, the backend can only continue existing attempts, and needs no manifest.
    """
    asked, watch = asked or ServeRequest(), watch or Watch()
    manifests = _served(project, asked) if opens else ()
    here = project.of(manifests[0]) if manifests else project
    served = ServedProject(choose_target(asked, here, watch), manifests, asked.agent_uid)
    if opens:
        require_served(manifests, Store.make(served.target.store), _open_to_agents(here))
    who = principal or local_principal()
    return LocalBackend(served, here.root, who, profile, homes=project.homes, session=asked.session)


def _served(project: Project, asked: ServeRequest) -> tuple[LoadedManifest, ...]:
    """Load the manifests that are served.

    Raises InputError if there are none, if two have the same name, or if they belong to several projects.
    """
    manifests = tuple(project.manifest(path) for path in asked.manifests) or tuple(_open_to_agents(project))
    if not manifests:
        broken = ", ".join(path.name for path in project.manifests() if not _readable(project, path))
        raise InputError(
            "no manifest of this project lets agents attempt it",
            where=str(project.root),
            next="write an `agents:` block into one and `harness lock` it"
            + (f"; not looked at, since `harness show` refuses them: {broken}" if broken else ""),
        )
    names = [loaded.manifest.name for loaded in manifests]
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"two of these manifests are called {twice[0]!r}", next="serve one of them")
    if any(loaded.root != manifests[0].root for loaded in manifests):
        raise InputError("these manifests are of several projects", next="serve those of one project")
    return manifests


def _open_to_agents(project: Project) -> list[LoadedManifest]:
    """Load the manifests of a project that agents may attempt; a manifest that cannot be read is left out."""
    found = []
    for path in project.manifests():
        try:
            loaded = project.manifest(path)
        except HarnessError:
            continue
        if manifest_splits(loaded.manifest) and not loaded.manifest.derived:
            found.append(loaded)
    return found


def _readable(project: Project, path: Path) -> bool:
    try:
        project.manifest(path)
    except HarnessError:
        return False
    return True


class AttemptDoor:
    """Session of one caller in this process, used in a `with` block; its log is kept in the store."""

    def __init__(
        self,
        project: Project,
        asked: ServeRequest | None = None,
        watch: Watch | None = None,
        *,
        principal: str = "",
        protocol: str = PYTHON,
        tools: str = "",
        opens: bool = True,
    ) -> None:
        name, asked = unique_stamp(16), asked or ServeRequest()
        asked = asked.with_changes(session=asked.session or name)
        self.backend = attempt_backend(project, asked, watch, principal=principal, opens=opens)
        self.facts = CallFacts(protocol, asked.client)
        store = Store.make(self.backend.served.target.store)
        self._path = store.root / "sessions" / f"{name}.jsonl"
        fields = {"principal": self.backend.principal, "profile": self.backend.profile, "versions": package_versions()}
        begin_session(self._path, {**fields, "tools": tools}, store.tree)
        log = open_session_log(store.tree.open_log(self._path, make=False))
        self._tree = store.tree
        self._empty = self._size()
        self._session = Session(log, self.backend, tools)

    def reply(self, tool: str, args: Mapping[str, Any]) -> AgentReply:
        """Make a call and, once it is logged durably, return its reply: data or an error, images, the log's head."""
        reply = self._session.call(tool, dict(args), self.facts)
        reply.durable.result()
        return reply

    def call(self, tool: str, args: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Make a call and return its data; a refusal is raised as the AttemptError that an agent would get."""
        return self.reply(tool, args or {}).unwrap()

    def submit(self, attempt: str, answers: Sequence[Any]) -> dict[str, Any]:
        """Submit answers in as many calls as they need; return the last call's data, with the receipts of all.

        Each receipt names the record that holds its answer, since the calls have records of their own.
        If a call after the first is refused, the error says how many answers the calls before it submitted.
        """
        done, receipts = dict[str, Any](), list[Any]()
        for begin in range(0, max(1, len(answers)), ANSWERS):
            try:
                part = list(answers[begin : begin + ANSWERS])
                done = self.call("submit_answers", {"attempt_id": attempt, "answers": part})
            except AttemptError as bad:
                if not receipts:
                    raise
                note = f"{len(receipts)} of {len(answers)} answers were submitted before this"
                raise AttemptError(bad.name, f"{bad.what}; {note}", bad.next) from bad
            held = {"record": done["record"]}
            receipts += [{**held, **one} if "answer_sha256" in one else one for one in done["receipts"]]
        return {**done, "receipts": receipts}

    def close(self) -> None:
        """Close the session; remove its log if no call was written to it."""
        self._session.close()
        if self._size() == self._empty:
            self._tree.remove(self._path)

    def _size(self) -> int:
        facts = self._tree.facts(self._path)
        return facts.st_size if facts else -1

    def __enter__(self) -> AttemptDoor:
        """Return the session itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, bad: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the session."""
        self.close()


def _once(project: Project, tool: str, asked: BaseModel, result: type[Shape], serve: ServeRequest | None) -> Shape:
    """Make one call in its own AttemptDoor; all such calls share the idempotency keys of one session."""
    shared = (serve or ServeRequest()).with_changes(session=ONE_CALL)
    with AttemptDoor(project, shared, opens=tool in OPENING) as door:
        return result.model_validate(door.call(tool, asked.model_dump(exclude_none=True, exclude_unset=True)))


def list_studies(project: Project, serve: ServeRequest | None = None) -> shapes.ListStudiesResult:
    """List the studies that agents may attempt, with their splits and how many attempts are left."""
    return _once(project, "list_studies", shapes.ListStudiesRequest(), shapes.ListStudiesResult, serve)


def start_attempt(
    project: Project, asked: shapes.StartAttemptRequest, serve: ServeRequest | None = None
) -> shapes.StartAttemptResult:
    """Start an attempt on a split; the same key and label return the same attempt again, marked as resumed."""
    return _once(project, "start_attempt", asked, shapes.StartAttemptResult, serve)


def list_items(
    project: Project, asked: shapes.ListItemsRequest, serve: ServeRequest | None = None
) -> shapes.ListItemsResult:
    """List items of an attempt, page by page."""
    return _once(project, "list_items", asked, shapes.ListItemsResult, serve)


def get_item(project: Project, asked: shapes.GetItemRequest, serve: ServeRequest | None = None) -> shapes.GetItemResult:
    """Return one part of an item's prompt."""
    return _once(project, "get_item", asked, shapes.GetItemResult, serve)


def submit_answers(
    project: Project, asked: shapes.SubmitAnswersRequest, serve: ServeRequest | None = None
) -> shapes.SubmitAnswersResult:
    """Submit answers, one an item; the first that is recorded is final."""
    return _once(project, "submit_answers", asked, shapes.SubmitAnswersResult, serve)


def finish_attempt(
    project: Project, asked: shapes.FinishAttemptRequest, serve: ServeRequest | None = None
) -> shapes.FinishAttemptResult:
    """Close an attempt and have it scored; if called again, return the scores, unless they are sealed."""
    return _once(project, "finish_attempt", asked, shapes.FinishAttemptResult, serve)


def score_text(
    project: Project, asked: shapes.ScoreTextRequest, serve: ServeRequest | None = None
) -> shapes.ScoreTextResult:
    """Score a text for an item of a split that is not hidden, once the item is answered."""
    return _once(project, "score_text", asked, shapes.ScoreTextResult, serve)


ATTEMPT = "An attempt's id, or an unambiguous beginning of one."
DAMAGED, EXPIRED, GONE = "damaged", "expired", "gone"  # gone: it was begun, and its transcript is not there


class AttemptData(Result):
    """One attempt: its manifest and split, its principal, its status, and its counts."""

    attempt: str
    status: str  # open | expired | closed | scoring | scored | sealed | failed | damaged | gone
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
    run: str = ""  # the run that scored it


class AttemptsResult(Result):
    """Result of `list_attempts`: attempts, newest first, and how many more there are."""

    attempts: list[AttemptData]
    more: int


class ShowAttemptResult(Result):
    """Result of `show_attempt`: the attempt, what its verdict rests on, its budget and all its scores."""

    attempt: AttemptData
    rests_on: list[str]
    budget: dict[str, int]
    head: str
    record: str = ""
    why: str = ""  # why its scoring failed
    scores: dict[str, Any] = Field(default_factory=dict)


class VerifyTranscriptResult(Result):
    """Result of `verify_transcript`: the verdict, the flaws of the transcript, and the reads that were made again."""

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
    """Return the full id of an attempt, given an unambiguous beginning of it."""
    return find_attempt(project.open(), name)


def list_attempts(project: Project, asked: AttemptsRequest | None = None) -> AttemptsResult:
    """List the attempts of the store, scored or not, the newest first."""
    asked, store = asked or AttemptsRequest(), project.open()
    found: list[AttemptData] = []
    more = 0
    known = listed_attempts(store.heads.read())
    order = {attempt: number for number, attempt in enumerate(known)}
    here = set(attempt_ids(store))
    for attempt in sorted(here | set(known), key=lambda attempt: order.get(attempt, len(order)), reverse=True):
        gone = AttemptData(attempt=attempt, status=GONE)
        one = _attempt(store, attempt, known.get(attempt)) if attempt in here else gone
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


def _described(store: Store, attempt: str, chain: Chain[AttemptEvent]) -> AttemptData:
    begun, state, outcome = chain.events[0], fold_events(chain.events), attempt_outcome(store, attempt)
    over = outcome.status == OPEN and clock.current_time() > begun["expires"]
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
    """Return one attempt and, once it is scored, all its scores.

    For operators only, because scores of hidden splits are included.
    """
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
        scores=dict(attempt_table(store, outcome.run).document()) if done else {},
    )


def _rests_on(begun: AttemptEvent) -> list[str]:
    """Return sentences on what the verdict of an attempt rests on and no audit can check."""
    said = ["the answers are an agent's, taken on trust: its verdict is at most `unconfirmed`"]
    if begun["gold_reachable"]:
        said.append("gold_reachable: the agent ran as a user who could read the right answers in the store")
    else:
        said.append("the agent ran as a user who could not read the store when the attempt began")
    if begun["principal"].startswith("local:"):
        said.append("the principal is a user of this machine: limits on attempts are advice to that user")
    return said


def abandon_attempt(project: Project, asked: AttemptRequest) -> ShowAttemptResult:
    """Close an attempt that will not be continued; the answers given so far stay, and can be scored."""
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
        transcript.end(RAN_OUT if clock.current_time() > chain.events[0]["expires"] else ABANDONED).result()
        note_end(store, attempt, transcript.head)
    finally:
        transcript.close()
    return show_attempt(project, AttemptRequest(attempt=attempt))


def rescore_attempt(project: Project, asked: RescoreRequest, watch: Watch | None = None) -> ShowAttemptResult:
    """Score a closed attempt of any principal, for an operator; an attempt that is already scored is not changed."""
    watch = watch or Watch()
    attempt = find_attempt(project.open(), asked.attempt)
    place = choose_target(asked, project, watch)
    score_attempt(
        project.root, place, attempt, homes=project.homes, again=asked.again, progress=watch.task(f"score {attempt}")
    )
    return show_attempt(project, AttemptRequest(attempt=attempt))


def verify_transcript(project: Project, asked: VerifyTranscriptRequest) -> VerifyTranscriptResult:
    """Verify an attempt's transcript: hash chain, list of runs, budget, counts, manifest; repeat its reads."""
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


class StoredToken(Result):
    """What is stored of a token: its digest, whose it is, the profiles it opens, its end, and whether that has come."""

    sha256: str
    principal: str
    scopes: list[str]
    expires: str
    live: bool


class AddTokenResult(Result):
    """Result of `tokens add`: the token, which is shown this once, and what is stored of it."""

    token: str
    stored: StoredToken


class TokensResult(Result):
    """Result of `tokens ls` and `tokens revoke`: the tokens of the store, or those that were revoked."""

    tokens: list[StoredToken]


def make_token(project: Project, asked: AddTokenRequest) -> AddTokenResult:
    """Make a token for an agent and store its digest; only this result ever holds the token itself."""
    secret, made = add_token(Store.make(project.store), asked.principal, asked.scopes or ("answer",), asked.days)
    return AddTokenResult(token=secret, stored=_stored(made))


def list_tokens(project: Project, asked: ListTokensRequest | None = None) -> TokensResult:
    """List the tokens of a store by principal, expired ones too."""
    found = read_tokens(Store.open(project.store)).values()
    return TokensResult(tokens=[_stored(one) for one in sorted(found, key=lambda one: (one.principal, one.expires))])


def withdraw_tokens(project: Project, asked: RevokeTokensRequest) -> TokensResult:
    """Revoke all tokens of a principal, or the one with this digest; a running server follows within a second."""
    return TokensResult(tokens=[_stored(one) for one in revoke_tokens(Store.open(project.store), asked.name)])


def _stored(token: Token) -> StoredToken:
    return StoredToken(
        sha256=token.sha256,
        principal=token.principal,
        scopes=list(token.scopes),
        expires=token.expires,
        live=token.is_live(),
    )
