"""Pipe between the supervisor and the answering process: a JSON object a line each way, and open files beside it.

A file travels as a descriptor (SCM_RIGHTS), never as a path: who answers an agent knows no path at all. The standard
library alone; what the objects mean is not known here.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

CHUNK = 1 << 16
MOST = 64 << 20  # bytes of a line; both ends are ours
FILES = 8  # descriptors that travel beside one line, at most

Message = dict[str, Any]


def pair() -> tuple[socket.socket, socket.socket]:
    """Make the two ends of a pipe."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)


class Pipe:
    """One end: sends objects with files, and gives those that came."""

    def __init__(self, end: socket.socket) -> None:
        self.end = end
        self._part = bytearray()
        self._files: deque[int] = deque()

    def fileno(self) -> int:
        """Return the descriptor on which one waits for something to come."""
        return self.end.fileno()

    def send(self, message: Message, files: Sequence[int] = ()) -> None:
        """Send an object whole, with its files; OSError where the other end has gone."""
        line = json.dumps({**message, "files": len(files)}, separators=(",", ":")).encode() + b"\n"
        sent = socket.send_fds(self.end, [line], list(files)) if files else 0
        self.end.sendall(memoryview(line)[sent:])

    def receive(self) -> Iterator[tuple[Message, list[int]]]:
        """Read once, and give every object that is whole, with its files, which the caller closes.

        EOFError where the other end has gone.
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
        """Close the end, and whatever file came and was never asked for."""
        self.end.close()
        close_all(self._files)
        self._files.clear()


def close_all(files: Sequence[int] | deque[int]) -> None:
    """Close descriptors that nobody wants."""
    for handle in files:
        with contextlib.suppress(OSError):
            os.close(handle)
