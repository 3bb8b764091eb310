"""What agents' sessions need of a store: attempts opened, scored and told of; each agent hears of its own alone.

The supervisor of a server asks it through a worker; the command line and Python have it in their own process
(`LocalBackend`). It must never know a protocol.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.attempts.backend import OpenedAttempt
from harness.attempts.codes import AttemptError
from harness.attempts.limits import REPLY_BYTES
from harness.attempts.session import UNKNOWN
from harness.digest import canonical
from harness.errors import HarnessError, InputError, Interrupted
from harness.manifest.load import ModelFolders
from harness.run.agent_scores import agent_meaning, agent_scores
from harness.run.attempt_headers import attempt_header
from harness.run.attempt_offers import catalogue
from harness.run.attempt_open import OpenedView, Opening, open_attempt, reopen_attempt
from harness.run.attempt_score import (
    FAILED,
    SCORED,
    SCORING,
    SEALED,
    WAITING,
    AttemptOutcome,
    attempt_outcome,
    attempt_table,
    score_attempt,
)
from harness.run.attempt_text import score_text
from harness.run.hidden_splits import attempt_shows_hidden
from harness.run.served import ServedProject
from harness.store.attempts import ATTEMPT_ID
from harness.store.store import Store

UNSCORED = "the scoring failed; the operator of this benchmark can see why and have it scored again"


def opening(request: Mapping[str, Any], tools: str, profile: str, principal: str, session: str = "") -> Opening:
    """Say what start_attempt asks for, from its arguments."""
    return Opening(
        study=str(request["study"]), split=str(request["split"]), subset=str(request.get("subset") or ""),
        idempotency_key=str(request["idempotency_key"]), agent_label=str(request.get("agent_label") or ""),
        tools=tools, profile=profile, principal=principal, session=session,
    )  # fmt: skip


def told(store: Store, outcome: AttemptOutcome) -> dict[str, Any]:
    """Give what an agent may know of its attempt's scoring: of hidden data that it is sealed, and nothing else."""
    if outcome.hidden or _shows_hidden(store, outcome.attempt):
        return {"status": SEALED}
    if outcome.status == FAILED:
        return {"status": FAILED, "reason": UNSCORED}
    if outcome.status != SCORED:
        return {"status": SCORING}
    table = attempt_table(store, outcome.run)
    return {
        "status": SCORED, "scores": agent_scores(table), "meaning": agent_meaning(table), "record": outcome.record,
    }  # fmt: skip


def _shows_hidden(store: Store, attempt: str) -> bool:
    """Whether an attempt at a public split shows what was hidden since."""
    header = attempt_header(store, attempt) if ATTEMPT_ID.fullmatch(attempt) else None
    return header is not None and attempt_shows_hidden(store, header.fields)


@dataclass(frozen=True)
class LocalBackend:
    """The backend of a session in this process: what concerns the store is done here, scoring too, before it answers.

    With `score` false nothing is scored: an operator does that later.
    """

    served: ServedProject
    root: Path  # of the project
    principal: str
    profile: str = "answer"
    score: bool = True
    homes: ModelFolders | None = None
    session: str = ""  # whose keys of start_attempt are its own

    def catalogue(self) -> Mapping[str, Any]:
        """Give the studies that are served; InputError where they are more than one reply may tell of."""
        found = {"studies": catalogue(self.served, self.principal)}
        if len(canonical(found)) > REPLY_BYTES:
            raise InputError(
                f"{len(found['studies'])} studies are more than one reply to an agent may tell of",
                next="serve fewer: name their manifests",
            )
        return found

    def open(self, request: Mapping[str, Any], tools: str) -> OpenedAttempt:
        """Open an attempt, or the one that the same key opened before."""
        return open_files(self.open_view(request, tools))

    def reopen(self, attempt_id: str) -> OpenedAttempt:
        """Open an attempt of this principal again."""
        return open_files(self.reopen_view(attempt_id))

    def open_view(self, request: Mapping[str, Any], tools: str) -> OpenedView:
        """Open an attempt as `open` does, and give its files by their paths, for a process that opens them itself."""
        return open_attempt(self.served, opening(request, tools, self.profile, self.principal, self.session))

    def reopen_view(self, attempt_id: str) -> OpenedView:
        """Give the files of an attempt of this principal by their paths."""
        return reopen_attempt(self.served, attempt_id, self.principal)

    def status(self, attempt_id: str) -> Mapping[str, Any]:
        """Say how far an attempt of this principal is, and score nothing."""
        return told(self._store(), attempt_outcome(self._store(), self._mine(attempt_id)))

    def finish(self, attempt_id: str, *, wait: bool = True) -> Mapping[str, Any]:
        """Score a closed attempt of this principal where nobody has, and say how far it is."""
        store = self._store()
        outcome = attempt_outcome(store, self._mine(attempt_id))
        if self.score and outcome.status == WAITING:
            outcome = self._scored(attempt_id, store)
        return told(store, outcome)

    def score_text(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Score one text for an item of an attempt of this principal."""
        self._mine(str(request["attempt_id"]))
        return score_text(self.served.target, self.root, request, self.homes)

    def _mine(self, attempt_id: str) -> str:
        """Give the id of an attempt back if it is this principal's: any other is unknown here."""
        header = attempt_header(self._store(), attempt_id) if ATTEMPT_ID.fullmatch(attempt_id) else None
        if header is None or header.fields["principal"] != self.principal:
            raise AttemptError("E_UNKNOWN_ATTEMPT", UNKNOWN)
        return attempt_id

    def _scored(self, attempt_id: str, store: Store) -> AttemptOutcome:
        try:
            return score_attempt(self.root, self.served.target, attempt_id, homes=self.homes)
        except Interrupted:
            raise
        except HarnessError as bad:  # whoever may know reads why in the run, or tries it by `harness attempts finish`
            outcome = attempt_outcome(store, attempt_id)
            return replace(outcome, status=FAILED, why=bad.what) if outcome.status == WAITING else outcome

    def _store(self) -> Store:
        return Store.make(self.served.target.store)


def open_files(opened: OpenedView) -> OpenedAttempt:
    """Open the files of an attempt, for whoever takes the descriptors."""
    handles: list[int] = []
    ways = (os.O_RDWR | os.O_APPEND, os.O_RDONLY, os.O_RDONLY)
    try:
        for path, way in zip((opened.transcript, opened.items, opened.media), ways, strict=True):
            handles.append(os.open(path, way | os.O_NOFOLLOW | os.O_CLOEXEC))
    except OSError:
        for handle in handles:
            os.close(handle)
        raise
    transcript, items, media = handles
    return OpenedAttempt(opened.attempt, transcript, items, media, opened.more)
