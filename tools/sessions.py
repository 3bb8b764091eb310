"""Sessions of the answering process: of an agent under test, or of an operator's or auditor's agent.

Both log every call once, whatever its outcome, with the same code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from pydantic import BaseModel, ValidationError

from harness.attempts.calls import AgentReply, CallFacts, CallOutcome, arrival_time, attempt_call
from harness.attempts.codes import REPLY_BYTES, AttemptError, printable_text, suggest_name
from harness.attempts.session import Session
from harness.attempts.shapes import describe_rejected
from harness.attempts.transcript import CALL, ChainLog, open_session_log
from harness.digest import canonical_json
from harness_tools.lines import Refusal
from harness_tools.pipe_backend import PipeBackend
from harness_tools.tool_table import TOOLS


class CallSession(Protocol):
    """Protocol of a session, which answers tool calls and logs each."""

    def call(self, tool: str, args: object, facts: CallFacts) -> AgentReply:
        """Answer a tool call and log it."""
        ...

    def refuse(self, error: AttemptError, seen: object, facts: CallFacts) -> AgentReply:
        """Log a message that was refused before it became a call."""
        ...

    def holds(self, attempt_id: str) -> bool:
        """Whether an attempt is open here, so that calls of its items need not wait."""
        ...

    def close(self) -> None:
        """Close the logs."""
        ...


class VerbSession:
    """Session of an operator's or auditor's agent, whose tools are verbs that a worker calls."""

    def __init__(self, profile: str, log: ChainLog, backend: PipeBackend) -> None:
        self._tools = {spec.name: spec for spec in TOOLS[profile]}
        self._log, self._backend = log, backend

    def call(self, tool: str, args: object, facts: CallFacts) -> AgentReply:
        """Answer a tool call by the verb of the same name, and log it."""
        since = arrival_time()
        return self._written(tool, attempt_call(args, lambda: self._answered(tool, args)), facts, since)

    def refuse(self, error: AttemptError, seen: object, facts: CallFacts) -> AgentReply:
        """Log a message that was refused before it became a call."""
        kept = describe_rejected(seen)
        return self._written("", CallOutcome(kept, kept["sha256"], None, error), facts, arrival_time())

    def holds(self, attempt_id: str) -> bool:
        """Whether an attempt is open here: never, since these tools attempt nothing."""
        return False

    def close(self) -> None:
        """Close the log."""
        self._log.close()

    def _answered(self, tool: str, args: object) -> CallOutcome:
        if tool not in self._tools:
            raise AttemptError("E_UNKNOWN_TOOL", "there is no tool of this name", suggest_name(tool, self._tools))
        request = asked_arguments(tool, self._tools[tool].request, args)
        data = dict(self._backend.verb(tool, request))
        if len(canonical_json(data)) > REPLY_BYTES:
            raise AttemptError("E_TOO_LARGE", "the result is larger than a reply may be", "Ask for less of it.")
        kept = describe_rejected(request)  # rows and objects are not logged in full, but with their digest
        return CallOutcome(kept, kept["sha256"], data)

    def _written(self, tool: str, outcome: CallOutcome, facts: CallFacts, since: float) -> AgentReply:
        _, durable = self._log.add(CALL, outcome.fields(tool, facts, since))
        return AgentReply(outcome.data, outcome.error, self._log.head, (), durable)


def open_session(profile: str, handle: int, backend: PipeBackend, fingerprint: str) -> CallSession:
    """Return the session for a profile's tools, which goes on with the log behind a descriptor."""
    log = open_session_log(handle)
    return Session(log, backend, fingerprint) if profile == "answer" else VerbSession(profile, log, backend)


def refusals_into(session: CallSession) -> Callable[[Refusal], None]:
    """Return a function that logs a refused line in a session: why it was refused, and its size."""

    def write(refusal: Refusal) -> None:
        session.refuse(refusal.error, {"size": refusal.size}, CallFacts("", ""))

    return write


def asked_arguments(tool: str, model: type[BaseModel], args: object) -> dict[str, Any]:
    """Validate and return the arguments of a verb.

    Raises AttemptError, which names the first argument that is wrong and does not show its value.
    """
    try:
        return model.model_validate(args).model_dump(exclude_none=True)
    except ValidationError as bad:
        found = bad.errors(include_url=False, include_input=False, include_context=False)
        first = next((one for one in found if one["type"] == "extra_forbidden"), found[0])
        place = ".".join(printable_text(str(step)) for step in first["loc"]) or "arguments"
        if first["type"] == "extra_forbidden":
            known = suggest_name(first["loc"][-1], model.model_fields)
            raise AttemptError("E_ARGUMENT", f"{tool} knows no argument `{place}`", known) from None
        raise AttemptError("E_ARGUMENT", f"the argument `{place}` of {tool} does not fit: {first['msg']}") from None
