"""Blob upload to a registry: in one request, or in chunks where the registry insists."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from harness.digest import CHUNK
from harness.files import translating_os_errors
from harness.images.transfer.client import RegistryClient, RetryableError
from harness.images.transfer.ingest import Descriptor
from harness.images.transfer.progress import ByteCounter, Meter

if TYPE_CHECKING:
    import requests

PIECE = 16 << 20  # of a blob, where a registry does not take it whole
LARGEST = 256 << 20  # the largest piece that a registry may insist on
NOT_WHOLE = frozenset({405, 411, 413, 416, 501})  # answers to a blob that is sent whole
BYTES = {"Content-Type": "application/octet-stream"}


def blob_exists(client: RegistryClient, blob: Descriptor) -> bool:
    """Whether a registry says it has a blob (HEAD request)."""
    return client.with_retries(lambda: _asked(client, blob))


def upload(client: RegistryClient, path: Path, blob: Descriptor, meter: Meter) -> None:
    """Upload one blob: whole where the registry takes it, else in chunks; begun anew after a transient failure."""
    client.with_retries(lambda: _upload(client, path, blob, meter))


def _asked(client: RegistryClient, blob: Descriptor) -> bool:
    with client.request("HEAD", f"{client.reference.api}/blobs/sha256:{blob.sha256}") as answer:
        if answer.status_code not in (200, 404):
            raise client.error_for(answer, f"asking for blob {blob.sha256[:12]}")
        return answer.status_code == 200


class _Outgoing:
    """Request body that streams a slice of a file; its length is known in advance."""

    def __init__(self, path: Path, start: int, length: int, meter: Meter) -> None:
        self._path, self._start, self._length, self._meter = path, start, length, meter

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[bytes]:
        left = self._length
        with translating_os_errors(self._path), open(self._path, "rb", buffering=0) as file:
            file.seek(self._start)
            while left and (piece := file.read(min(CHUNK, left))):
                yield piece
                left -= len(piece)
                self._meter(len(piece))


def _upload(client: RegistryClient, path: Path, blob: Descriptor, meter: Meter) -> None:
    counter = ByteCounter(meter)
    try:
        url, _ = _begun(client)
        headers = {**BYTES, "Content-Length": str(blob.size)}
        with client.request(
            "PUT", _ending(url, blob), headers, partial(_Outgoing, path, 0, blob.size, counter)
        ) as answer:
            if answer.status_code == 201:
                return
            if answer.status_code not in NOT_WHOLE:
                raise client.error_for(answer, f"writing blob {blob.sha256[:12]}")
        counter.undo()
        _upload_in_pieces(client, path, blob, counter)
    except RetryableError:
        counter.undo()
        raise


def _upload_in_pieces(client: RegistryClient, path: Path, blob: Descriptor, meter: Meter) -> None:
    url, least = _begun(client)
    piece = max(PIECE, least)
    for start in range(0, blob.size, piece):
        length = min(piece, blob.size - start)
        headers = {**BYTES, "Content-Length": str(length), "Content-Range": f"{start}-{start + length - 1}"}
        with client.request("PATCH", url, headers, partial(_Outgoing, path, start, length, meter)) as answer:
            if answer.status_code != 202:
                raise client.error_for(answer, f"writing a piece of blob {blob.sha256[:12]}")
            url = _next(client, url, answer)
    with client.request("PUT", _ending(url, blob), {**BYTES, "Content-Length": "0"}) as answer:
        if answer.status_code != 201:
            raise client.error_for(answer, f"ending blob {blob.sha256[:12]}")


def _begun(client: RegistryClient) -> tuple[str, int]:
    """Start an upload session: returns its URL and the registry's minimum chunk size."""
    url = f"{client.reference.api}/blobs/uploads/"
    with client.request("POST", url, {"Content-Length": "0"}) as answer:
        if answer.status_code != 202:
            raise client.error_for(answer, "writing")
        least = answer.headers.get("OCI-Chunk-Min-Length", "")
        return _next(client, url, answer), min(int(least), LARGEST) if least.isdecimal() and len(least) < 12 else 0


def _next(client: RegistryClient, url: str, answer: requests.Response) -> str:
    return client.checked_url(url, answer.headers.get("Location", ""))


def _ending(url: str, blob: Descriptor) -> str:
    return f"{url}{'&' if urlsplit(url).query else '?'}digest=sha256:{blob.sha256}"
