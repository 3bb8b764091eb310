"""Session of an operator's agent that runs manifests: tools, and reads of resources and prompts, each logged once."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from typing import Any

from pydantic import BaseModel

from harness.attempts.calls import AgentReply, CallFacts, CallOutcome, arrival_time, attempt_call
from harness.attempts.codes import REPLY_BYTES, AttemptError, suggest_name
from harness.attempts.shapes import describe_rejected
from harness.attempts.transcript import ChainLog, open_session_log
from harness.digest import canonical_json
from harness_tools.pipe_backend import PipeBackend
from harness_tools.run_shapes import PromptForm, ReadForm, ServedForm
from harness_tools.sessions import VerbSession, asked_arguments

READS: Mapping[str, type[BaseModel]] = {
    "resources/list": ServedForm,
    "resources/read": ReadForm,
    "prompts/list": ServedForm,
    "prompts/get": PromptForm,
}
POLLED = "get_run"


class RunSession(VerbSession):
    """Session of one agent that runs manifests: answers its calls and logs each."""

    def __init__(self, log: ChainLog, backend: PipeBackend) -> None:
        super().__init__("run", log, backend)

    def call(self, tool: str, args: object, facts: CallFacts) -> AgentReply:
        """Answer a tool call or a read of a resource, and log it."""
        since = arrival_time()
        return self._written(tool, attempt_call(args, lambda: self._made(tool, args, facts.client)), facts, since)

    def peek(self, args: object) -> Mapping[str, Any]:
        """Return the state of a run while a call waits for its end; raise AttemptError as the call would."""
        request = asked_arguments(POLLED, self._tools[POLLED].request, args)
        return self._backend.run(POLLED, request)

    def _made(self, tool: str, args: object, client: str) -> CallOutcome:
        form = READS.get(tool) or (self._tools[tool].request if tool in self._tools else None)
        if form is None:
            raise AttemptError("E_UNKNOWN_TOOL", "there is no tool of this name", suggest_name(tool, self._tools))
        request = asked_arguments(tool, form, args)
        data = dict(self._backend.run(tool, request, client))
        if len(canonical_json(data)) > REPLY_BYTES:
            raise AttemptError("E_TOO_LARGE", "the result is larger than a reply may be", "Ask for a smaller page.")
        kept = describe_rejected(request)
        return CallOutcome(kept, kept["sha256"], data)


def open_run_session(handle: int, backend: PipeBackend) -> RunSession:
    """Return the session of an agent that runs manifests, which goes on with the log behind a descriptor."""
    return RunSession(open_session_log(handle), backend)


class RunBackend:
    """Backend of the server's gate for agents that run manifests; each call may wait for a worker."""

    def __init__(self, session: RunSession, backend: PipeBackend) -> None:
        self._session, self._backend = session, backend
        self.threads: Executor | None = None

    def waits(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Return whether a call may wait for another process: all do."""
        return True

    def call(self, tool: str, arguments: Mapping[str, Any], facts: CallFacts) -> AgentReply:
        """Answer a tool call by the session, within the seconds that a call may take."""
        with self._backend.call():
            return self._session.call(tool, arguments, facts)

    def peek(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the state of a run, without a line in the log."""
        with self._backend.call():
            return self._session.peek(arguments)
