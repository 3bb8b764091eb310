"""The HTTP wire alone: what is slow, cut off, pipelined or too much ends in bounded time, and others are answered."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from needs import OnceUsed

from harness import peers

http_wire, http_door = (OnceUsed(f"harness_tools.{name}") for name in ("http_wire", "http_door"))
GET = b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n"
Work = Callable[[int], Awaitable[Any]]


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Answer with the size of the body, and the user at the other end."""
    size, more = 0, True
    while more:
        part = await receive()
        if part["type"] == "http.disconnect":
            return
        size, more = size + len(part["body"]), part["more_body"]
    if scope["path"] == "/slow":
        await asyncio.sleep(60)
    told = f"{scope['path']} {size} {scope['connection'].uid()} ".encode() + b"." * (
        10_000_000 if scope["path"] == "/large" else 0
    )
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(told))]})
    await send({"type": "http.response.body", "body": told})


def served(work: Work, application: Any = echo) -> Any:
    """Serve an application for as long as some work takes, and give what that gives."""

    async def both() -> Any:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            listening.setblocking(False)
            serving = asyncio.create_task(http_wire.HttpWire(application).serve(listening))
            try:
                async with asyncio.timeout(50):
                    return await work(listening.getsockname()[1])
            finally:
                serving.cancel()
                await asyncio.gather(serving, return_exceptions=True)

    return asyncio.run(both())


async def said(port: int, *pieces: bytes, pause: float = 0.0) -> bytes:
    """Send pieces, and give what came until the connection was closed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for piece in pieces:
            writer.write(piece)
            await asyncio.sleep(pause)
        return await reader.read()
    except ConnectionError:
        return b"cut"
    finally:
        writer.close()


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every step of a request take a moment only."""
    for name in ("HEAD", "IDLE", "BODY", "ANSWER", "WRITE", "LAST"):
        monkeypatch.setattr(f"harness_tools.http_wire.{name}", 0.3)


def test_requests_of_one_connection_are_answered_in_their_order() -> None:
    async def work(port: int) -> bytes:
        chunked = b"POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
        last = b"POST /e HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        return await said(port, GET + chunked + last, b"xx", pause=0.1)

    came = served(work)
    user = str(os.geteuid()).encode()
    assert all(one + user in came for one in (b"/x 0 ", b"/c 3 ", b"/e 2 "))
    assert came.index(b"/x 0") < came.index(b"/c 3") < came.index(b"/e 2") and b"100" in came


@pytest.mark.parametrize(
    ("pieces", "status"),
    [
        ([b""], b""),  # nothing at all: closed without a word
        ([b"GET /x HT"], b"408"),
        ([b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc"], b"408"),
        ([GET.replace(b"/x", b"/slow")], b"408"),
        ([b"no HTTP\r\n\r\n"], b"400"),
        ([b"GET /x HTTP/1.1\r\n\r\n"], b"400"),  # no Host
        ([b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na"], b"400"),
        ([b"GET /x HTTP/1.1\r\nHost: a\r\nX: " + b"y" * 40_000], b"431"),
    ],
    ids=range(8),
)
def test_what_is_slow_or_no_request_ends_soon(hurried: None, pieces: list[bytes], status: bytes) -> None:
    async def work(port: int) -> bytes:
        return await said(port, *pieces)

    came = served(work)
    assert came.split()[1:2] == ([status] if status else [])


def test_a_client_that_sends_a_letter_at_a_time_is_cut_off(hurried: None) -> None:
    async def work(port: int) -> bytes:
        return await said(port, *(GET[place : place + 1] for place in range(len(GET))), pause=0.05)

    assert b"200" not in served(work)


def test_a_client_that_does_not_read_is_cut_off(hurried: None) -> None:
    async def work(port: int) -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
        writer.write(GET.replace(b"/x", b"/large"))
        await asyncio.sleep(1.5)
        size = 0
        try:
            while data := await reader.read(1 << 20):
                size += len(data)
        except ConnectionError:
            pass
        writer.close()
        return size

    assert served(work) < 10_000_000


def test_who_waits_makes_room_for_who_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness_tools.http_wire.MOST", 5)

    async def work(port: int) -> tuple[bytes, bytes]:
        held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(20)]
        fine = await said(port, GET.replace(b"Host: a", b"Host: a\r\nConnection: close"))
        first = await held[0][0].read()
        for _, writer in held:
            writer.close()
        return fine, first

    fine, first = served(work)
    assert b" 200 " in fine and first == b""


def test_an_application_that_fails_is_answered_for(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(scope: Any, receive: Any, send: Any) -> None:
        raise ValueError("a secret")

    async def work(port: int) -> bytes:
        return await said(port, GET)

    came = served(work, broken)
    assert came.split()[1] == b"500" and b"secret" not in came and "a secret" in caplog.text


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_the_kernel_names_who_holds_the_other_end(host: str) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, 0), family=family)
    except OSError:
        pytest.skip(f"{host} is not here")
    with listening, socket.create_connection(listening.getsockname()[:2]) as client, listening.accept()[0] as ours:
        addresses = ours.getsockname()[:2], ours.getpeername()[:2]
        assert peers.peer_uid(*addresses) == os.geteuid()
        client.shutdown(socket.SHUT_WR)
        assert peers.peer_uid(*addresses) == os.geteuid()
        client.close()
        assert peers.peer_uid(*addresses) is None  # nobody holds it any more
        assert (
            peers.peer_uid(*reversed(addresses)) is not None
            and peers.peer_uid(("10.0.0.1", 1), ("10.0.0.2", 2)) is None
        )


@pytest.mark.parametrize("place", ["", "x", "99999", "name.example:80", "127.0.0.1:", "1.2.3.4.5:80", "-1"])
def test_a_place_that_is_none_is_told(place: str) -> None:
    from harness.errors import InputError

    with pytest.raises(InputError, match="no place to listen"):
        http_door._place(place)
