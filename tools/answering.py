"""The answering process: the MCP server that an agent talks to. It has the wire, a pipe, and open files; no path.

Entry point of `python -m harness_tools.answering PIPE PROFILE`, which the supervisor starts. It ends with its client
or with its supervisor, whichever goes first.
"""

from __future__ import annotations

import codecs
import ctypes
import os
import pwd
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from harness_tools.claim import claim
from harness_tools.loading import alone, loading

if TYPE_CHECKING:
    from harness.attempts.calls import AgentReply, CallFacts
    from harness_tools.sessions import CallSession

with loading():  # an agent waits for this: the SDK and pydantic's models are nine tenths of the start
    alone("mcp", "mcp.server")
    from harness_tools.app import build_server
    from harness_tools.asking import PipeClient
    from harness_tools.pipe_backend import PipeBackend
    from harness_tools.serving import serve
    from harness_tools.sessions import open_session, refusals_into
    from harness_tools.tool_table import listing, tools_fingerprint

DIES, DUMPABLE, NO_NEW_PRIVILEGES = 1, 4, 38  # of prctl(2)

ENCODINGS = ("ascii", "latin-1", "utf-8", "utf-16-be", "utf-16be", "idna", "unicode_escape")


class SessionBackend:
    """The gate's backend: a session, and the tools of it that may wait."""

    def __init__(self, session: CallSession, seen: set[str]) -> None:
        self._session, self._seen = session, seen

    def waits(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Whether a call may wait: one of an attempt that is at hand does not."""
        if tool in ("list_items", "get_item", "submit_answers"):
            name = arguments.get("attempt_id")
            return not (isinstance(name, str) and name in self._seen)
        return True

    def call(self, tool: str, arguments: Mapping[str, Any], facts: CallFacts) -> AgentReply:
        """Answer a call."""
        return self._session.call(tool, arguments, facts)


def become(uid: int) -> None:
    """Become the agent's user for good, who may not be able to read this program: what it needs is loaded before.

    Nothing of the store was ever here.
    """
    import rfc8785, traceback, tracemalloc  # noqa: E401, F401, I001, PLC0415 - else imported when they are first used

    for name in ENCODINGS:
        codecs.lookup(name)
    try:
        group = pwd.getpwuid(uid).pw_gid
    except KeyError:
        group = uid
    os.setgroups([])
    os.setresgid(group, group, group)
    os.setresuid(uid, uid, uid)


def shut_in() -> None:
    """Keep processes of the same user out of this one's memory and files, and end it with its parent."""
    control = ctypes.CDLL(None).prctl
    control(DUMPABLE, 0)
    control(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    control(DIES, signal.SIGTERM)


def main(argv: Sequence[str]) -> None:
    """Serve one client over standard input and output."""
    wire = claim()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal; the supervisor says when to end
    pipe, profile = socket.socket(fileno=int(argv[0])), argv[1]
    for uid in argv[2:]:
        become(int(uid))
    shut_in()
    fingerprint = tools_fingerprint(listing(profile))
    asking = PipeClient(pipe, ended=lambda: os._exit(0))
    backend, hello = PipeBackend(asking), asking.ask("hello", tools=fingerprint)
    session = open_session(profile, hello.files[0], backend, fingerprint)
    server = build_server(profile, SessionBackend(session, backend.seen), hello.data["versions"]["harness"])
    serve(server, wire, refusals_into(session))
    session.close()
    os._exit(0)  # threads that still wait for the supervisor are not waited for


if __name__ == "__main__":
    main(sys.argv[1:])
