"""A server of agents' tools behind which nothing stands but an echo: for tests of the wire, the gate and the pipe.

As a program it serves over stdio.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from harness.attempts.calls import AgentReply, CallFacts
from harness.attempts.codes import AttemptError
from harness.attempts.reads import ReplyImage
from harness_tools.lines import Refusal

HEAD = "0" * 64
LEAST: Mapping[str, Mapping[str, Any]] = {  # of results, so that clients take them
    "list_studies": {"studies": [], "tools_fingerprint": ""},
    "list_items": {"items": [], "remaining": 0, "calls_left": 0},
    "submit_answers": {"receipts": [], "record": 0, "remaining": 0, "calls_left": 0, "transcript_head": ""},
    "score_text": {"metric": "", "scorer_sha256": ""},
}


class EchoBackend:
    """Answers every call with what it was asked, and keeps it."""

    threads = None

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any], CallFacts]] = []
        self.refusals: list[Refusal] = []

    def waits(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        return tool == "list_studies"

    def call(self, tool: str, arguments: Mapping[str, Any], facts: CallFacts) -> AgentReply:
        self.calls.append((tool, dict(arguments), facts))
        if tool not in LEAST:
            return AgentReply(None, AttemptError("E_UNKNOWN_TOOL", "there is no such tool"), HEAD)
        shown = {name: repr(value)[:100] for name, value in arguments.items()}
        data = {**LEAST[tool], "next": "", "echo": shown, "refused": [one.error.name for one in self.refusals]}
        return AgentReply(data, None, HEAD, (ReplyImage("image/png", b"\x89PNG"),) if tool == "score_text" else ())


if __name__ == "__main__":
    from harness_tools.child_start import claim_connection
    from harness_tools.server import build_server
    from harness_tools.wire import serve_client

    wire = claim_connection()
    print("a print of somebody's scorer", flush=True)  # must not reach the wire
    backend = EchoBackend()
    serve_client(build_server("answer", backend), wire, backend.refusals.append)
    os._exit(0)
