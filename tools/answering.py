"""The answering process: the MCP server that an agent talks to. It has the wire, a pipe and open files, but no path.

Entry point of `python -m harness_tools.answering PIPE PROFILE`, which the supervisor starts. It ends when its client
or its supervisor ends, whichever is first.
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
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any

from harness_tools.child_start import claim_connection, lazy_packages, paused_collection

if TYPE_CHECKING:
    from harness.attempts.calls import AgentReply, CallFacts
    from harness_tools.sessions import CallSession

with paused_collection():  # an agent waits for this: the SDK and pydantic's models are nine tenths of the start
    lazy_packages("mcp", "mcp.server")
    from harness_tools.pipe_backend import PipeBackend, PipeClient
    from harness_tools.server import build_server
    from harness_tools.sessions import open_session, refusals_into
    from harness_tools.tool_table import profile_tools, tools_fingerprint
    from harness_tools.wire import serve_client

DIES, DUMPABLE, NO_NEW_PRIVILEGES = 1, 4, 38  # of prctl(2)

ENCODINGS = ("ascii", "latin-1", "utf-8", "utf-16-be", "utf-16be", "idna", "unicode_escape")


class SessionBackend:
    """Backend of the server's gate that answers tool calls by a session, and tells which calls may take long."""

    def __init__(self, session: CallSession, backend: PipeBackend) -> None:
        self._session, self._backend = session, backend
        self.threads: Executor | None = None

    def waits(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Whether a call may take long; calls on items of an attempt that is already open do not."""
        if tool in ("list_items", "get_item", "submit_answers"):
            name = arguments.get("attempt_id")
            return not (isinstance(name, str) and name in self._backend.seen)
        return True

    def call(self, tool: str, arguments: Mapping[str, Any], facts: CallFacts) -> AgentReply:
        """Answer a tool call by the session, within the seconds that a call may take."""
        with self._backend.call():
            return self._session.call(tool, arguments, facts)


def become_user(uid: int) -> None:
    """Switch this process to the agent's user for good.

    That user may not be able to read this program, so everything that the process needs is imported first. Nothing of
    the store was ever loaded in this process.
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


def shut_in_process() -> None:
    """Deny other processes of the same user access to this process' memory and files, and end it with its parent."""
    control = ctypes.CDLL(None).prctl
    control(DUMPABLE, 0)
    control(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    control(DIES, signal.SIGTERM)


def main(argv: Sequence[str]) -> None:
    """Serve one client over standard input and output, as the process that answers calls."""
    wire = claim_connection()
    if argv[1] == "run":  # before this process becomes another user
        from harness_tools import run_server, run_session  # noqa: PLC0415 - no agent under test needs them
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # from a terminal; the supervisor ends this process
    pipe, profile = socket.socket(fileno=int(argv[0])), argv[1]
    for uid in argv[2:]:
        become_user(int(uid))
    shut_in_process()
    fingerprint = tools_fingerprint(profile_tools(profile))
    asking = PipeClient(pipe, ended=lambda: os._exit(0))
    backend, hello = PipeBackend(asking), asking.send("hello", tools=fingerprint).result()
    version = hello.data["versions"]["harness"]
    session: CallSession
    if profile == "run":
        session = run_session.open_run_session(hello.files[0], backend)
        server = run_server.build_run_server(run_session.RunBackend(session, backend), version)
    else:
        session = open_session(profile, hello.files[0], backend, fingerprint)
        server = build_server(profile, SessionBackend(session, backend), version)
    serve_client(server, wire, refusals_into(session))
    session.close()
    os._exit(0)  # threads that still wait for the supervisor are not waited for


if __name__ == "__main__":
    main(sys.argv[1:])
