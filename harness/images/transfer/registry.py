"""Push and pull of images by the OCI distribution API.

The registry is not trusted: downloads are hashed, and a pushed manifest is read back. An interrupted transfer is
resumed by repeating it, which skips blobs that are already there, in both directions.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from harness.digest import CHUNK, sha256
from harness.errors import InputError
from harness.files import translating_os_errors
from harness.images.image import MANIFEST, Image, Pin
from harness.images.transfer import ingest
from harness.images.transfer.client import Reference, RegistryClient, RetryableError, read_reference
from harness.images.transfer.layout import describe_blobs
from harness.store.store import Store

if TYPE_CHECKING:
    import requests


PIECE = 16 << 20  # chunk of a blob, if a registry does not accept it whole
LARGEST = 256 << 20  # the largest chunk that a registry may require
NOT_WHOLE = frozenset({405, 411, 413, 416, 501})  # statuses that reject a blob sent whole
BYTES = {"Content-Type": "application/octet-stream"}


def blob_exists(client: RegistryClient, blob: ingest.Descriptor) -> bool:
    """Whether a registry says that it has a blob (HEAD request)."""
    return client.with_retries(lambda: _asked(client, blob))


def upload_blob(client: RegistryClient, path: Path, blob: ingest.Descriptor, meter: ingest.Meter) -> None:
    """Upload one blob: whole if the registry accepts that, else in chunks; restarted after a transient failure."""
    client.with_retries(lambda: _upload(client, path, blob, meter))


def _asked(client: RegistryClient, blob: ingest.Descriptor) -> bool:
    with client.request("HEAD", f"{client.reference.api}/blobs/sha256:{blob.sha256}") as answer:
        if answer.status_code not in (200, 404):
            raise client.error_for(answer, f"asking for blob {blob.sha256[:12]}")
        return answer.status_code == 200


class _Outgoing:
    """Request body that streams a slice of a file; its length is known in advance."""

    def __init__(self, path: Path, start: int, length: int, meter: ingest.Meter) -> None:
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


def _upload(client: RegistryClient, path: Path, blob: ingest.Descriptor, meter: ingest.Meter) -> None:
    counter = ingest.ByteCounter(meter)
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


def _upload_in_pieces(client: RegistryClient, path: Path, blob: ingest.Descriptor, meter: ingest.Meter) -> None:
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
    """Start an upload session, and return its URL and the registry's minimum chunk size."""
    url = f"{client.reference.api}/blobs/uploads/"
    with client.request("POST", url, {"Content-Length": "0"}) as answer:
        if answer.status_code != 202:
            raise client.error_for(answer, "writing")
        least = answer.headers.get("OCI-Chunk-Min-Length", "")
        return _next(client, url, answer), min(int(least), LARGEST) if least.isdecimal() and len(least) < 12 else 0


def _next(client: RegistryClient, url: str, answer: requests.Response) -> str:
    return client.checked_url(url, answer.headers.get("Location", ""))


def _ending(url: str, blob: ingest.Descriptor) -> str:
    return f"{url}{'&' if urlsplit(url).query else '?'}digest=sha256:{blob.sha256}"


@dataclass(frozen=True)
class PushedImage:
    """Result of a push: the reference by digest, and the numbers of blobs and bytes that were sent."""

    reference: str  # by digest, which always means this image
    blobs: int  # number of blobs that were not there yet
    bytes: int


def push_image(store: Store, image: Image, reference: str, meter: ingest.Meter = ingest.ignore_progress) -> PushedImage:
    """Push an image: the blobs that the registry lacks, then the manifest, which is read back and compared.

    The manifest is stored under the tag of the reference, or under its digest without a tag.
    """
    there = read_reference(reference)
    if there.digest not in (None, image.manifest):
        raise InputError(
            f"this image's manifest is sha256:{image.manifest}, not the digest in the reference",
            where=str(there),
            next="leave the digest out, or choose the other image",
        )
    with closing(RegistryClient(there, "pull,push")) as client:
        sent = []
        for blob in describe_blobs(store, image):
            if not blob_exists(client, blob):
                upload_blob(client, store.blobs.deliver(blob.sha256), blob, meter)
                sent.append(blob)
        manifest = store.blobs.read(image.manifest)
        name = there.tag or f"sha256:{image.manifest}"
        if client.with_retries(lambda: _manifest(client, name)) != manifest:
            client.with_retries(lambda: _put_manifest(client, name, manifest))
            if client.with_retries(lambda: _manifest(client, name)) != manifest:
                raise InputError(
                    "the registry returns another manifest than it was given",
                    where=str(there),
                    next="use one that keeps OCI manifests as they are",
                )
    return PushedImage(there.at(image.manifest), len(sent), sum(blob.size for blob in sent))


def pull_image(
    store: Store, reference: str, name: str, expected: Pin | None, meter: ingest.Meter = ingest.ignore_progress
) -> Image:
    """Pull an image into a store: the one whose digest the reference names, else the `expected` one.

    Raises InputError if neither is known, if the two differ, or if the registry returns another image.
    """
    there = read_reference(reference)
    ingest.check_name(name)
    wanted = there.digest or (expected.manifest.removeprefix("sha256:") if expected else None)
    if wanted is None:
        raise InputError(
            f"no digest is known for image {name}",
            where=str(there),
            next="pin it in lockfiles/images.json, or name it by digest: HOST/NAME@sha256:…",
        )
    if expected and expected.manifest != f"sha256:{wanted}":
        raise InputError(
            f"the reference names sha256:{wanted}, but {name} is pinned to {expected.manifest}",
            where=str(there),
            next="leave the digest out, or give the image another name",
        )
    with store.in_use(), closing(RegistryClient(there, "pull")) as client:
        manifest = _wanted_manifest(store, client, there, wanted)

        def bring(want: ingest.Descriptor) -> None:
            client.with_retries(lambda: _download(client, store, want, meter))

        return ingest.ingest_image(store, name, manifest, bring, str(there), expected)


def _wanted_manifest(store: Store, client: RegistryClient, there: Reference, wanted: str) -> bytes:
    """Return the manifest's bytes: from the store if the digest is known and stored, else from the registry."""
    if there.tag is None or there.digest:
        if store.blobs.state(wanted) == "sound" and store.blobs.size(wanted) <= ingest.SMALL:
            return store.blobs.read(wanted)
        name = f"sha256:{wanted}"
    else:
        name = there.tag
    manifest = client.with_retries(lambda: _manifest(client, name))
    if manifest is None:
        raise InputError(
            "the registry has no such image",
            where=f"{there} ({name[:19]})",
            next="check the reference, or push it first",
        )
    if sha256(manifest) != wanted:
        raise InputError(
            f"the registry gives another image: its manifest is sha256:{sha256(manifest)}, expected sha256:{wanted}",
            where=str(there),
            next="leave the tag out to fetch the one that is meant by its digest; nothing was kept",
        )
    return manifest


def _manifest(client: RegistryClient, name: str) -> bytes | None:
    """Fetch a manifest by tag or digest; None if there is none."""
    url = f"{client.reference.api}/manifests/{name}"
    with client.request("GET", url, {"Accept": f"{MANIFEST}, {ingest.INDEX}"}) as answer:
        if answer.status_code == 404:
            return None
        if answer.status_code != 200:
            raise client.error_for(answer, "reading the manifest")
        return ingest.read_document(client.read(answer), ingest.SMALL, str(client.reference))


def _download(client: RegistryClient, store: Store, want: ingest.Descriptor, meter: ingest.Meter) -> None:
    with client.request("GET", f"{client.reference.api}/blobs/sha256:{want.sha256}") as answer:
        if answer.status_code != 200:
            raise client.error_for(answer, f"reading blob {want.sha256[:12]}")
        counter = ingest.ByteCounter(meter)
        try:
            ingest.receive_blob(store, client.read(answer), want, f"{client.reference}: sha256:{want.sha256}", counter)
        except RetryableError:
            counter.undo()
            raise


def _put_manifest(client: RegistryClient, name: str, manifest: bytes) -> None:
    with client.request(
        "PUT", f"{client.reference.api}/manifests/{name}", {"Content-Type": MANIFEST}, manifest
    ) as answer:
        if answer.status_code not in (200, 201, 202):
            raise client.error_for(answer, "writing the manifest")
