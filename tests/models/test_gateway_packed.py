"""Compressed answers that grow, charsets that fail, statuses that are none: a server's answer takes little memory."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator

import pytest
from needs import needs

from harness.models.gateway.settings import Keys
from harness.models.gateway.upstream import LARGEST, FailedAttempt, Upstream, _bound, _read

needs("openai", "aiohttp")
import httpx2  # noqa: E402 - after it is known to be there

REFUSAL = b'{"error": {"message": "no such model"}}'


class Wire(httpx2.AsyncByteStream):  # type: ignore[misc]  # mypy does not look into this library
    """Bytes as they come from a server, in one block."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._data


def bounded(status: int, data: bytes, **headers: str) -> httpx2.Response:
    """Give a response as the gateway bounds it."""
    response = httpx2.Response(status, headers=headers, stream=Wire(data))
    asyncio.run(_bound(response))
    return response


def test_a_compressed_refusal_takes_a_few_megabytes_however_much_it_would_grow_to() -> None:
    response = bounded(400, gzip.compress(b" " * (64 << 20)), **{"content-encoding": "gzip"})
    assert len(asyncio.run(response.aread())) < 8 << 20


def test_what_is_compressed_twice_is_not_undone() -> None:
    twice = gzip.compress(gzip.compress(b" " * (8 << 20)))
    assert asyncio.run(bounded(200, twice, **{"content-encoding": "gzip, gzip"}).aread()) == twice


def test_a_compressed_answer_is_undone_in_pieces_so_that_its_bound_holds() -> None:
    response = bounded(200, gzip.compress(b" " * (LARGEST + (1 << 20))), **{"content-encoding": "gzip"})
    with pytest.raises(FailedAttempt, match="larger than 64 MiB"):
        asyncio.run(_read(response))


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("charset", ["hex", "zlib", "rot13", "nosuch", "utf-8"])
def test_a_refusal_is_read_whatever_charset_it_names(charset: str, packed: bool) -> None:
    headers = {
        "content-type": f"application/json; charset={charset}",
        **({"content-encoding": "gzip"} if packed else {}),
    }
    response = bounded(404, gzip.compress(REFUSAL) if packed else REFUSAL, **headers)
    asyncio.run(response.aread())
    assert response.text == REFUSAL.decode()


@pytest.mark.parametrize("status", [101, 199, 600, 999])
def test_a_status_that_is_no_answer_s_counts_as_a_server_that_is_not_there(status: int) -> None:
    found = Upstream(Keys({}), 1.0)._refusal(httpx2.Response(status, content=b"{}"))
    assert (found.kind, found.status) == ("protocol", 0) and str(status) in found.what
