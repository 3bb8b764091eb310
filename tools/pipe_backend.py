"""What stands behind a session in the answering process: the supervisor, reached over the pipe."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from harness.attempts.calls import OpenedAttempt
from harness.attempts.codes import AttemptError
from harness.digest import canonical, sha256
from harness_tools.asking import PipeAnswer, PipeClient
from harness_tools.pipe import close_all

POLL = 0.25  # seconds between two looks at how a scoring stands
PATIENCE = 15.0  # seconds that a poll waits for a scoring to end


class PipeBackend:
    """The backend of a session: open files instead of paths, and whatever takes long is asked for again."""

    def __init__(self, asking: PipeClient) -> None:
        self._asking = asking
        self.seen: set[str] = set()  # attempts that were handed over

    def catalogue(self) -> Mapping[str, Any]:
        """Return what list_studies tells."""
        return dict(self._asking.ask_again("catalogue", "catalogue").data)

    def open(self, request: Mapping[str, Any], tools: str) -> OpenedAttempt:
        """Open an attempt; making its view may take longer than one call."""
        key = "open " + sha256(canonical(dict(request)))
        return self._handed(self._asking.ask_again(key, "open", **request, tools=tools))

    def reopen(self, attempt_id: str) -> OpenedAttempt:
        """Open an attempt of this principal again."""
        return self._handed(self._asking.ask_again(f"reopen {attempt_id}", "reopen", attempt_id=attempt_id))

    def finish(self, attempt_id: str, *, wait: bool = True) -> Mapping[str, Any]:
        """Say how the scoring of a closed attempt stands; it may wait a while for its end."""
        told = dict(self._asking.ask("finish", attempt_id=attempt_id).data)
        until = time.monotonic() + (PATIENCE if wait else 0)
        while told["status"] == "scoring" and time.monotonic() < until:
            time.sleep(POLL)
            told = dict(self._asking.ask("finish", attempt_id=attempt_id).data)
        return told

    def score_text(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Score one text; the scorer may take longer than one call."""
        key = "score_text " + sha256(canonical(dict(request)))
        return dict(self._asking.ask_again(key, "score_text", **request).data)

    def verb(self, tool: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Call a verb of an operator or auditor."""
        key = f"{tool} {sha256(canonical(dict(request)))}"
        return dict(self._asking.ask_again(key, "verb", tool=tool, arguments=dict(request)).data)

    def _handed(self, answered: PipeAnswer) -> OpenedAttempt:
        if len(answered.files) != 3:
            close_all(answered.files)
            raise AttemptError("E_INTERNAL", "the server handed over no attempt")
        transcript, items, media = answered.files
        self.seen.add(answered.data["attempt_id"])
        return OpenedAttempt(answered.data["attempt_id"], transcript, items, media, answered.data.get("more", {}))
