"""TCP forwarder: a port on 127.0.0.1 that leads to the gateway's Unix socket, for clients that need an address.

Inside a container without network, `OPENAI_BASE_URL=f"{url}/v1"` and `ANTHROPIC_BASE_URL=url` make unmodified
third-party code talk to the gateway. The forwarder copies bytes both ways without parsing them.
"""

from __future__ import annotations

import contextlib
import socket as sockets
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HOST = "127.0.0.1"
MOST = 256  # connections at once; further ones wait
BLOCK = 1 << 16
PAUSE = 0.05  # seconds before the next accept, after one that failed


@contextlib.contextmanager
def tcp_forwarder(socket: Path | str, port: int = 0) -> Iterator[str]:
    """Context manager that forwards a URL of 127.0.0.1 to a Unix socket and yields it. Port 0: any free one."""
    with _Forwarder(str(socket), port) as forwarder:
        yield f"http://{HOST}:{forwarder.port}"


class _Forwarder:
    """One listening port, and a thread for each direction of each connection; all threads end with the `with` block."""

    def __init__(self, socket: str, port: int) -> None:
        self._socket = socket
        self._listener = sockets.create_server((HOST, port), backlog=MOST)
        self.port: int = self._listener.getsockname()[1]
        self._lock = threading.Lock()
        self._open: set[sockets.socket] = set()
        self._ending = threading.Event()
        self._carriers = ThreadPoolExecutor(MOST, thread_name_prefix="forwarder")
        self._accepting = threading.Thread(target=self._accept, name="forwarder", daemon=True)

    def __enter__(self) -> _Forwarder:
        self._accepting.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._ending.set()
            for each in (self._listener, *self._open):
                _hang_up(each, sockets.SHUT_RDWR)
        self._accepting.join()
        self._carriers.shutdown()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                if self._ending.wait(PAUSE):  # hung up: the block has ended
                    return
                continue  # the client is gone, or there is no room for another connection now
            self._carriers.submit(self._carry, client)

    def _carry(self, client: sockets.socket) -> None:
        """Forward one connection, both ways, until both ends have closed it."""
        with client, sockets.socket(sockets.AF_UNIX) as gateway, self._known(client, gateway):
            try:
                gateway.connect(self._socket)
            except OSError:  # the gateway is gone: the client sees its connection end
                return
            if self._ending.is_set():  # opened too late to be closed with the others
                return
            back = threading.Thread(target=_pump, args=(gateway, client), name="forwarder-back", daemon=True)
            back.start()
            _pump(client, gateway)
            back.join()

    @contextlib.contextmanager
    def _known(self, *pair: sockets.socket) -> Iterator[None]:
        """Context manager that registers two sockets, so that the end of the block shuts them down, even a past one."""
        with self._lock:
            self._open.update(pair)
            if self._ending.is_set():
                for each in pair:
                    _hang_up(each, sockets.SHUT_RDWR)
        try:
            yield
        finally:
            with self._lock:
                self._open.difference_update(pair)


def _pump(source: sockets.socket, target: sockets.socket) -> None:
    """Copy bytes until end of file, then pass on the end of file."""
    with contextlib.suppress(OSError):
        while block := source.recv(BLOCK):
            target.sendall(block)
    _hang_up(target, sockets.SHUT_WR)


def _hang_up(socket: sockets.socket, how: int) -> None:
    with contextlib.suppress(OSError):  # it has ended already
        socket.shutdown(how)
