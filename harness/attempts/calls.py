"""Calls of an agent, what is noted of each, and what a session needs from whoever knows the store.

That is the supervisor behind a pipe, or the verbs in this process.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Protocol

from harness.attempts.chain_log import done
from harness.attempts.codes import AttemptError, shown
from harness.attempts.reads import Data, ReplyImage
from harness.attempts.shapes import digest_of, rejected
from harness.errors import HarnessError


@dataclass(frozen=True)
class OpenedAttempt:
    """An attempt handed over as open files, which whoever takes it owns: nobody says where they lie.

    `more` holds what start_attempt tells beside the transcript's header: `answer_format`, `instructions`.
    """

    attempt_id: str
    transcript: int  # for reading and appending
    items: int  # for reading
    media: int | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


class Backend(Protocol):
    """The side of a session that knows the store. Each call may take long; a refusal is an AttemptError."""

    def catalogue(self) -> Mapping[str, Any]:
        """Return what list_studies tells: `studies`."""

    def open(self, request: Mapping[str, Any], tools: str) -> OpenedAttempt:
        """Open an attempt for the arguments of start_attempt, or the one that the same key opened before."""

    def reopen(self, attempt_id: str) -> OpenedAttempt:
        """Open an attempt of this principal again; E_UNKNOWN_ATTEMPT for any other."""

    def finish(self, attempt_id: str, *, wait: bool = True) -> Mapping[str, Any]:
        """Begin the scoring of a closed attempt where nobody has, and say how far it is (`status`)."""

    def score_text(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Score one text for an item: what score_text tells."""


@dataclass(frozen=True, slots=True)
class CallFacts:
    """What is known of the caller: the protocol it speaks, and what it calls itself."""

    protocol: str
    client: str


@dataclass(frozen=True)
class AgentReply:
    """The reply to a call: data or an error, images, and the log's head once the call was written down.

    It may leave when `durable` is done. Where the data name the head themselves, it is this one.
    """

    data: Data | None
    error: AttemptError | None
    head: str
    images: tuple[ReplyImage, ...] = ()
    durable: Future[None] = field(default_factory=done)

    def unwrap(self) -> Data:
        """Wait until the reply may leave, and give its data or raise its error: for callers in this process."""
        self.durable.result()
        if self.error is not None:
            raise self.error
        return self.data or {}


@dataclass(frozen=True)
class CallOutcome:
    """What a call came to, before it is written down: data or an error, and the arguments as they are recorded."""

    args: Mapping[str, Any]
    args_sha256: str
    data: Data | None = None
    error: AttemptError | None = None
    images: tuple[ReplyImage, ...] = ()
    receipts: list[Data] | None = None

    def fields(self, tool: str, facts: CallFacts, began: float) -> dict[str, Any]:
        """Return the fields of the record."""
        fields: dict[str, Any] = {
            "tool": shown(tool),
            "args": self.args,
            "args_sha256": self.args_sha256,
            "result_sha256": digest_of(self.error.as_reply() if self.error else self.data or {}),
            "is_error": self.error is not None,
            "code": self.error.name if self.error else "",
            "protocol": shown(facts.protocol),
            "client": shown(facts.client),
            "ms": int((time.monotonic() - began) * 1000),
        }
        return fields if self.receipts is None else {**fields, "receipts": self.receipts}


def accepted(args: Mapping[str, Any], data: Data, images: tuple[ReplyImage, ...] = ()) -> CallOutcome:
    """Make the outcome of a call that was answered."""
    return CallOutcome(args, digest_of(args), data, None, images)


def attempted(args: object, work: Callable[[], CallOutcome]) -> CallOutcome:
    """Do the work of a call; whatever it raises becomes the error of a rejected call, and nothing of it is told."""
    try:
        return work()
    except AttemptError as refusal:
        error = refusal
    except HarnessError:
        error = AttemptError("E_INTERNAL", "the server cannot answer this call")
    except Exception:  # a defect: the call is written down all the same
        error = AttemptError("E_INTERNAL", "the server met a defect of its own")
    kept = rejected(args)
    return CallOutcome(kept, kept["sha256"], None, error)


def began() -> float:
    """Return the instant at which a call came in."""
    return time.monotonic()
