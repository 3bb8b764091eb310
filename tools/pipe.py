"""Pipe between the supervisor and the answering process, and the start of that process.

One JSON object per line goes in each direction, with open files. A file is sent as a descriptor (SCM_RIGHTS), never as
a path, because the answering process must not see any path. Only the standard library is imported, so that the process
that takes longest to start, and for which an agent waits, is started before anything else is loaded. Independent of
what the objects mean.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

CHUNK = 1 << 16
MOST = 64 << 20  # bytes of a line; both ends belong to the harness
FILES = 8  # descriptors that are sent with one line, at most

Message = dict[str, Any]


def open_pipe() -> tuple[socket.socket, socket.socket]:
    """Return the two ends of a new pipe."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)


class Pipe:
    """One end of a pipe: sends and receives objects with files."""

    def __init__(self, end: socket.socket) -> None:
        self.end = end
        self._part = bytearray()
        self._files: deque[int] = deque()

    def fileno(self) -> int:
        """Return the descriptor on which to wait for incoming data."""
        return self.end.fileno()

    def send(self, message: Message, files: Sequence[int] = ()) -> None:
        """Send a whole object with its files; raise OSError if the other end is closed."""
        line = json.dumps({**message, "files": len(files)}, separators=(",", ":")).encode() + b"\n"
        sent = socket.send_fds(self.end, [line], list(files)) if files else 0
        self.end.sendall(memoryview(line)[sent:])

    def receive(self) -> Iterator[tuple[Message, list[int]]]:
        """Read once, and yield every complete object with its files, which the caller closes.

        Raises EOFError if the other end is closed, or if a line is too long.
        """
        data, files, _, _ = socket.recv_fds(self.end, CHUNK, FILES)
        for handle in files:
            os.set_inheritable(handle, False)  # the library drops the flag that would say so
        self._files += files
        if not data:
            raise EOFError
        *ends, rest = data.split(b"\n")
        for end in ends:
            line, self._part = bytes(self._part) + end, bytearray()
            message = json.loads(line)
            yield message, [self._files.popleft() for _ in range(message.pop("files"))]
        self._part += rest
        if len(self._part) > MOST:
            raise EOFError

    def close(self) -> None:
        """Close this end, and the files that were received but never taken."""
        self.end.close()
        close_all(self._files)
        self._files.clear()


def close_all(files: Sequence[int] | deque[int]) -> None:
    """Close descriptors, ignoring errors."""
    for handle in files:
        with contextlib.suppress(OSError):
            os.close(handle)


TOLD = ("LANG", "LC_ALL", "TZ", "PYTHONPATH", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE")  # for the child
PATIENCE = 5  # seconds that it gets to end by itself


class Answering:
    """The answering process, which has the wire, one end of a pipe, and no path of the project or the store."""

    def __init__(self, profile: str, agent_uid: int | None, http: tuple[socket.socket, str] | None = None) -> None:
        """Start it; over HTTP it is given a listening socket and a door's rules, else standard input and output."""
        self.pipe, theirs = open_pipe()
        told = {name: os.environ[name] for name in TOLD if name in os.environ}
        if "PYTHONPATH" in told:
            told["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, told["PYTHONPATH"].split(os.pathsep)))
        given = [theirs.fileno(), *([http[0].fileno()] if http else [])]
        module = "harness_tools.http_answering" if http else "harness_tools.answering"
        command = [sys.executable, "-P", "-m", module, *map(str, given), *([http[1]] if http else []), profile]
        command += [str(agent_uid)] if agent_uid is not None else []
        self._process = subprocess.Popen(command, pass_fds=given, env=told, cwd="/")
        theirs.close()
        if http:
            http[0].close()

    def end(self, patience: float = PATIENCE) -> int:
        """Close the pipe, so that the process ends by itself or is killed after `patience`; return its exit code."""
        self.pipe.close()
        try:
            return self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
