"""Calls of an agent, the recorded facts of each, and the interface to the code that has the store.

That code is the supervisor behind a pipe, or the commands in this process.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Protocol, TypedDict

from harness.attempts import shapes
from harness.attempts.codes import AttemptError, printable_text
from harness.attempts.reads import Data, ReplyImage
from harness.attempts.transcript import done_future
from harness.errors import HarnessError
from harness.store.journal import AttemptFields


class ToldAtStart(TypedDict, total=False):
    """What an agent is told when its attempt begins, besides what the transcript's first line says."""

    answer_format: str
    instructions: str
    resumed: bool


@dataclass(frozen=True)
class OpenedAttempt:
    """An attempt handed over as open files, which the receiver owns; their paths are not given.

    `more` has the fields that start_attempt returns in addition to the transcript's header: `answer_format`,
    `instructions`.
    """

    attempt_id: str
    transcript: int  # for reading and appending
    items: int  # for reading
    media: int | None = None
    more: ToldAtStart = field(default_factory=ToldAtStart)


class Backend(Protocol):
    """Interface between an agent's session and the code that has the store; a refusal is an AttemptError."""

    def catalogue(self) -> shapes.CatalogueRow:
        """Return the studies that the agent may attempt, each with its splits and the attempts that are left."""

    def open(self, request: shapes.StartAttemptArgs, tools: str) -> OpenedAttempt:
        """Open an attempt for the arguments of start_attempt, or the one that the same key opened before."""

    def reopen(self, attempt_id: str) -> OpenedAttempt:
        """Open an attempt of this principal again; raises AttemptError (E_UNKNOWN_ATTEMPT) for any other."""

    def finish(self, attempt_id: str, *, wait: bool = True) -> shapes.ScoringRow:
        """Start the scoring of a closed attempt if it has not started, and return its progress (`status`)."""

    def score_text(self, request: shapes.ScoreTextArgs) -> shapes.TextScoreRow:
        """Score one text against an item by one metric; return the value, or the reason why there is none."""


@dataclass(frozen=True, slots=True)
class CallFacts:
    """Facts about the caller: its protocol, and the name that it gives itself."""

    protocol: str
    client: str


@dataclass(frozen=True)
class AgentReply:
    """The reply to a call: data or an error, images, and the log's head after the call was recorded.

    It may be sent when `durable` is done. If the data contain the head, it is the same head.
    """

    data: Data | None
    error: AttemptError | None
    head: str
    images: tuple[ReplyImage, ...] = ()
    durable: Future[None] = field(default_factory=done_future)

    def unwrap(self) -> Data:
        """Wait until the reply may be sent, and return its data or raise its error, for callers in this process."""
        self.durable.result()
        if self.error is not None:
            raise self.error
        return self.data or {}


@dataclass(frozen=True)
class CallOutcome:
    """The outcome of a call before it is recorded: data or an error, and the arguments as recorded."""

    args: Mapping[str, Any]
    args_sha256: str
    data: Data | None = None
    error: AttemptError | None = None
    images: tuple[ReplyImage, ...] = ()
    receipts: list[Mapping[str, Any]] | None = None

    def fields(self, tool: str, facts: CallFacts, began: float) -> AttemptFields:
        """Return the fields of the call's line in the log: tool, arguments, digests, error code, caller, duration."""
        fields: AttemptFields = {
            "tool": printable_text(tool),
            "args": self.args,
            "args_sha256": self.args_sha256,
            "result_sha256": shapes.call_digest(self.error.as_reply() if self.error else self.data or {}),
            "is_error": self.error is not None,
            "code": self.error.name if self.error else "",
            "protocol": printable_text(facts.protocol),
            "client": printable_text(facts.client),
            "ms": int((time.monotonic() - began) * 1000),
        }
        return fields if self.receipts is None else {**fields, "receipts": self.receipts}


def accept_call(args: Mapping[str, Any], data: Data, images: tuple[ReplyImage, ...] = ()) -> CallOutcome:
    """Return the outcome of a call that succeeded, from its arguments, its data and its images."""
    return CallOutcome(args, shapes.call_digest(args), data, None, images)


def attempt_call(args: object, work: Callable[[], CallOutcome]) -> CallOutcome:
    """Do the work of a call; any exception becomes the error of a rejected call, without its details."""
    try:
        return work()
    except AttemptError as refusal:
        error = refusal
    except HarnessError:
        error = AttemptError("E_INTERNAL", "the server cannot answer this call")
    except Exception:  # a defect; the call is still recorded
        error = AttemptError("E_INTERNAL", "the server met a defect of its own")
    kept = shapes.describe_rejected(args)
    return CallOutcome(kept, kept["sha256"], None, error)


def arrival_time() -> float:
    """Return the monotonic time now, from which the duration of the call that has just arrived is measured."""
    return time.monotonic()
