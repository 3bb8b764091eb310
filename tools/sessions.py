"""Sessions of the answering process: of an agent under test, or of an operator's or auditor's agent.

Either writes down every call once, whatever becomes of it, by the same code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from pydantic import BaseModel, ValidationError

from harness.attempts.calls import AgentReply, CallFacts, CallOutcome, attempted, began
from harness.attempts.chain_log import ChainLog, session_log
from harness.attempts.codes import REPLY_BYTES, AttemptError, nearest, shown
from harness.attempts.session import Session
from harness.attempts.shapes import rejected
from harness.attempts.transcript import CALL
from harness.digest import canonical
from harness_tools.lines import Refusal
from harness_tools.pipe_backend import PipeBackend
from harness_tools.tool_table import TOOLS


class CallSession(Protocol):
    """What answers calls and writes them down."""

    def call(self, tool: str, args: object, facts: CallFacts) -> AgentReply:
        """Answer a call."""
        ...

    def refuse(self, error: AttemptError, seen: object, facts: CallFacts) -> AgentReply:
        """Write down a message that was refused before it was a call."""
        ...

    def close(self) -> None:
        """Close the logs."""
        ...


class VerbSession:
    """The session of an operator's or auditor's agent: each tool is a verb, which a worker calls."""

    def __init__(self, profile: str, log: ChainLog, backend: PipeBackend) -> None:
        self._tools = {spec.name: spec for spec in TOOLS[profile]}
        self._log, self._backend = log, backend

    def call(self, tool: str, args: object, facts: CallFacts) -> AgentReply:
        """Answer a call and write it down."""
        since = began()
        return self._written(tool, attempted(args, lambda: self._answered(tool, args)), facts, since)

    def refuse(self, error: AttemptError, seen: object, facts: CallFacts) -> AgentReply:
        """Write down a message that was refused before it was a call."""
        kept = rejected(seen)
        return self._written("", CallOutcome(kept, kept["sha256"], None, error), facts, began())

    def close(self) -> None:
        """Close the log."""
        self._log.close()

    def _answered(self, tool: str, args: object) -> CallOutcome:
        if tool not in self._tools:
            raise AttemptError("E_UNKNOWN_TOOL", "there is no tool of this name", nearest(tool, self._tools))
        request = _asked(tool, self._tools[tool].request, args)
        data = dict(self._backend.verb(tool, request))
        if len(canonical(data)) > REPLY_BYTES:
            raise AttemptError("E_TOO_LARGE", "the result is larger than a reply may be", "Ask for less of it.")
        kept = rejected(request)  # rows and objects hold what no log keeps; their digest says which they were
        return CallOutcome(kept, kept["sha256"], data)

    def _written(self, tool: str, outcome: CallOutcome, facts: CallFacts, since: float) -> AgentReply:
        _, durable = self._log.add(CALL, outcome.fields(tool, facts, since))
        return AgentReply(outcome.data, outcome.error, self._log.head, (), durable)


def open_session(profile: str, handle: int, backend: PipeBackend, fingerprint: str) -> CallSession:
    """Make the session of a profile over its log, which the supervisor began."""
    log = session_log(handle)
    return Session(log, backend, fingerprint) if profile == "answer" else VerbSession(profile, log, backend)


def refusals_into(session: CallSession) -> Callable[[Refusal], None]:
    """Make what writes a refused line down: why it was refused, and its size."""

    def write(refusal: Refusal) -> None:
        session.refuse(refusal.error, {"size": refusal.size}, CallFacts("", ""))

    return write


def _asked(tool: str, model: type[BaseModel], args: object) -> dict[str, Any]:
    """Read the arguments of a verb strictly; AttemptError names the first that is wrong, and never shows its value."""
    try:
        return model.model_validate(args).model_dump(exclude_none=True)
    except ValidationError as bad:
        found = bad.errors(include_url=False, include_input=False, include_context=False)
        first = next((one for one in found if one["type"] == "extra_forbidden"), found[0])
        place = ".".join(shown(str(step)) for step in first["loc"]) or "arguments"
        if first["type"] == "extra_forbidden":
            known = nearest(first["loc"][-1], model.model_fields)
            raise AttemptError("E_ARGUMENT", f"{tool} knows no argument `{place}`", known) from None
        raise AttemptError("E_ARGUMENT", f"the argument `{place}` of {tool} does not fit: {first['msg']}") from None
