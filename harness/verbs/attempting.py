"""The verbs of an attempt: what an agent does by tools, one function a tool, and the door that serves them all.

    with verbs.AttemptDoor(project) as door:
        begun = door.call("start_attempt", {"study": "biomed-demo", "split": "dev", "idempotency_key": "1"})

The command line, Python and a server's tools go through the same session, so that equal calls have equal results.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from pydantic import BaseModel, Field

from harness.attempts.calls import AgentReply, CallFacts
from harness.attempts.chain_log import begin_session, session_log
from harness.attempts.session import Session
from harness.attempts.shapes import (
    FinishAttemptRequest,
    FinishAttemptResult,
    GetItemRequest,
    GetItemResult,
    ListItemsRequest,
    ListItemsResult,
    ListStudiesRequest,
    ListStudiesResult,
    ScoreTextRequest,
    ScoreTextResult,
    StartAttemptRequest,
    StartAttemptResult,
    SubmitAnswersRequest,
    SubmitAnswersResult,
)
from harness.clock import stamp
from harness.errors import HarnessError, InputError
from harness.manifest.load import Loaded
from harness.manifest.schema import splits
from harness.run.attempts.hidden_splits import require_served
from harness.run.attempts.open import versions
from harness.run.attempts.served import ServedProject
from harness.run.attempts.service import LocalBackend
from harness.store.store import Store
from harness.verbs.project import EngineRequest, PathText, Project, Watch

PYTHON = "python"  # what a caller in this process calls its protocol and itself, unless it says otherwise
ONE_CALL = "one call"  # the session of calls that each have a door of their own: by verbs, and by hand
OPENING = ("list_studies", "start_attempt")  # tools that need manifests
Shape = TypeVar("Shape", bound=BaseModel)


class ServeRequest(EngineRequest):
    """What is served to agents: manifests, the agent's user, and where steps run that make views and scores."""

    manifests: Sequence[PathText] = Field(
        default=(), description="Manifest files; none: all of the project that say `agents:`."
    )
    agent_uid: int | None = Field(default=None, ge=0, description="The user that the agent runs as, if it is known.")
    client: str = Field(default=PYTHON, max_length=64, description="What the caller calls itself in transcripts.")
    session: str = Field(default="", max_length=64, description="Whose keys its calls share; none: the door's own.")


def new_key() -> str:
    """Make an idempotency key that was never used."""
    return stamp(16)


def local_principal() -> str:
    """Say who calls from this machine without a token: the user."""
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
    """Return what a session needs of a project's store, for one principal: what a server's worker calls.

    One that `opens` nothing goes on with attempts alone, and needs no manifest.
    """
    asked, watch = asked or ServeRequest(), watch or Watch()
    manifests = _served(project, asked) if opens else ()
    here = project.of(manifests[0]) if manifests else project
    served = ServedProject(asked.place(here, watch), manifests, asked.agent_uid)
    if opens:
        require_served(manifests, Store.make(served.target.store), _open_to_agents(here))
    who = principal or local_principal()
    return LocalBackend(served, here.root, who, profile, homes=project.homes, session=asked.session)


def _served(project: Project, asked: ServeRequest) -> tuple[Loaded, ...]:
    """Load the manifests that are served; InputError where there are none, two of one name, or of two projects."""
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


def _open_to_agents(project: Project) -> list[Loaded]:
    """Load the manifests of a project that agents may attempt; one that cannot be read is left to its own verbs."""
    found = []
    for path in project.manifests():
        try:
            loaded = project.manifest(path)
        except HarnessError:
            continue
        if splits(loaded.manifest) and not loaded.manifest.derived:
            found.append(loaded)
    return found


def _readable(project: Project, path: Path) -> bool:
    try:
        project.manifest(path)
    except HarnessError:
        return False
    return True


class AttemptDoor:
    """The door of one caller in this process: a session whose log is kept in the store, used in a `with` block."""

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
        name, asked = stamp(16), asked or ServeRequest()
        asked = asked.model_copy(update={"session": asked.session or name})
        self.backend = attempt_backend(project, asked, watch, principal=principal, opens=opens)
        self.facts = CallFacts(protocol, asked.client)
        store = Store.make(self.backend.served.target.store)
        self._path = store.root / "sessions" / f"{name}.jsonl"
        fields = {"principal": self.backend.principal, "profile": self.backend.profile, "versions": versions()}
        begin_session(self._path, {**fields, "tools": tools}, store.tree)
        log = session_log(store.tree.open_log(self._path, make=False))
        self._tree = store.tree
        self._empty = self._size()
        self._session = Session(log, self.backend, tools)

    def reply(self, tool: str, args: Mapping[str, Any]) -> AgentReply:
        """Make a call and give its reply once it may leave: data or an error, images, the head of the log."""
        reply = self._session.call(tool, dict(args), self.facts)
        reply.durable.result()
        return reply

    def call(self, tool: str, args: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Make a call and give its data; a refusal is raised as the AttemptError that an agent would read."""
        return self.reply(tool, args or {}).unwrap()

    def close(self) -> None:
        """Close the session; where nothing was written into its log, there is no log."""
        self._session.close()
        if self._size() == self._empty:
            self._tree.remove(self._path)

    def _size(self) -> int:
        facts = self._tree.facts(self._path)
        return facts.st_size if facts else -1

    def __enter__(self) -> AttemptDoor:
        """Enter the `with` block in which the door is open."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, bad: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the door."""
        self.close()


def _once(project: Project, tool: str, asked: BaseModel, result: type[Shape], serve: ServeRequest | None) -> Shape:
    """Make one call through a door of its own; all such calls share the keys of one session."""
    shared = (serve or ServeRequest()).model_copy(update={"session": ONE_CALL})
    with AttemptDoor(project, shared, opens=tool in OPENING) as door:
        return result.model_validate(door.call(tool, asked.model_dump(exclude_none=True, exclude_unset=True)))


def list_studies(project: Project, serve: ServeRequest | None = None) -> ListStudiesResult:
    """List the studies that agents may attempt, with their splits and what is left of attempts."""
    return _once(project, "list_studies", ListStudiesRequest(), ListStudiesResult, serve)


def start_attempt(
    project: Project, asked: StartAttemptRequest, serve: ServeRequest | None = None
) -> StartAttemptResult:
    """Start an attempt on a split; the same key and label give the same attempt again, and say that it is resumed."""
    return _once(project, "start_attempt", asked, StartAttemptResult, serve)


def list_items(project: Project, asked: ListItemsRequest, serve: ServeRequest | None = None) -> ListItemsResult:
    """List items of an attempt, page by page."""
    return _once(project, "list_items", asked, ListItemsResult, serve)


def get_item(project: Project, asked: GetItemRequest, serve: ServeRequest | None = None) -> GetItemResult:
    """Get one part of an item's prompt."""
    return _once(project, "get_item", asked, GetItemResult, serve)


def submit_answers(
    project: Project, asked: SubmitAnswersRequest, serve: ServeRequest | None = None
) -> SubmitAnswersResult:
    """Submit answers, one an item; the first that is recorded is final."""
    return _once(project, "submit_answers", asked, SubmitAnswersResult, serve)


def finish_attempt(
    project: Project, asked: FinishAttemptRequest, serve: ServeRequest | None = None
) -> FinishAttemptResult:
    """Close an attempt and have it scored; called again, it gives the scores, where they are not sealed."""
    return _once(project, "finish_attempt", asked, FinishAttemptResult, serve)


def score_text(project: Project, asked: ScoreTextRequest, serve: ServeRequest | None = None) -> ScoreTextResult:
    """Score a text for an item of a split that is not hidden, once the item is answered."""
    return _once(project, "score_text", asked, ScoreTextResult, serve)
