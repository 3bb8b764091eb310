"""What a session needs from whoever knows the store: the supervisor behind a pipe, or the verbs in this process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


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
        """Give what list_studies tells: `studies`."""

    def open(self, request: Mapping[str, Any], tools: str) -> OpenedAttempt:
        """Open an attempt for the arguments of start_attempt, or the one that the same key opened before."""

    def reopen(self, attempt_id: str) -> OpenedAttempt:
        """Open an attempt of this principal again; E_UNKNOWN_ATTEMPT for any other."""

    def finish(self, attempt_id: str, *, wait: bool = True) -> Mapping[str, Any]:
        """Begin the scoring of a closed attempt where nobody has, and say how far it is (`status`)."""

    def score_text(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Score one text for an item: what score_text tells."""
