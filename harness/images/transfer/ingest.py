"""Ingest of a foreign image into a store: manifests are validated, every byte is checked against its digest.

All data read here is untrusted: sizes are bounded, digests are checked, nothing is decompressed. Counters of moved
bytes report progress.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from io import RawIOBase
from pathlib import Path
from typing import Any

from harness.digest import sha256, sha256_stream
from harness.errors import InputError, MissingError
from harness.files import translating_os_errors, write_every_byte
from harness.images.image import CONFIG, LAYER, MANIFEST, Image, Pin, add_image, find_image
from harness.store.blobs import is_digest
from harness.store.store import Store

Meter = Callable[[int], None]  # called with the number of bytes moved


def ignore_progress(count: int) -> None:
    """Progress callback that does nothing."""


class ByteCounter:
    """Counter of the bytes of one transfer, which takes them back if the transfer fails and begins again."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._moved = 0

    def __call__(self, count: int) -> None:
        """Add a number of bytes."""
        self._moved += count
        self._meter(count)

    def undo(self) -> None:
        """Take back everything that this attempt at the transfer has counted."""
        self._meter(-self._moved)
        self._moved = 0


INDEX = "application/vnd.oci.image.index.v1+json"
SMALL = 4 << 20  # most bytes of a manifest, config or index, as the distribution specification advises
LARGE = 64 << 30  # one layer
LAYERS = 127  # the most layers that an engine stacks
NAME = re.compile(r"[a-z0-9][a-z0-9._+-]{0,95}")

Read = Callable[[int], bytes]  # returns at most this number of bytes, none at the end


@dataclass(frozen=True)
class Descriptor:
    """OCI descriptor of a blob: media type, digest, size."""

    media: str
    sha256: str
    size: int

    def as_data(self) -> dict[str, Any]:
        """Return the descriptor as in OCI documents."""
        return {"mediaType": self.media, "digest": f"sha256:{self.sha256}", "size": self.size}


def check_name(name: str) -> str:
    """Return the name of an image unchanged; raises InputError if it is not valid."""
    if not NAME.fullmatch(name):
        raise InputError(
            f"{name[:80]!r} is not a name for an image", next="use small letters, digits and . _ + -, a letter first"
        )
    return name


def read_json(data: bytes, where: str) -> dict[str, Any]:
    """Parse an untrusted OCI document; raises InputError if it is not a JSON object."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as bad:
        raise _refused("not a JSON document", where) from bad
    if not isinstance(value, dict):
        raise _refused("not a JSON object", where)
    return value


def read_descriptor(value: Any, where: str, most: int) -> Descriptor:
    """Parse a descriptor; raises InputError for digests other than SHA-256 and sizes above the bound."""
    if not isinstance(value, dict):
        raise _refused("a descriptor is no JSON object", where)
    media, digest, size = value.get("mediaType"), value.get("digest"), value.get("size")
    if not isinstance(media, str) or not isinstance(digest, str) or type(size) is not int:
        raise _refused("a descriptor lacks mediaType, digest or size", where)
    kind, _, text = digest.partition(":")
    if kind != "sha256" or not is_digest(text):
        raise _refused(f"{digest[:80]!r} is not a SHA-256 digest", where)
    if not 0 < size <= most:
        raise _refused(f"a blob of {size} bytes is named; at most {most} are taken", where)
    return Descriptor(media, text, size)


def read_manifest(data: bytes, where: str) -> tuple[Descriptor, tuple[Descriptor, ...]]:
    """Return the config and layers of a manifest, lowest first; raises InputError for an index of several images."""
    body = read_json(data, where)
    media = body.get("mediaType", MANIFEST)
    if media == INDEX or "manifests" in body:
        raise InputError(
            "this is an index of several images, not an image", where=where, next="name the digest of one of them"
        )
    if media != MANIFEST or body.get("schemaVersion") != 2:
        raise _refused(f"a manifest of type {str(media)[:80]!r}; only {MANIFEST} is read", where)
    config = read_descriptor(body.get("config"), where, SMALL)
    if config.media != CONFIG:
        raise _refused(f"a config of type {config.media[:80]!r}; only {CONFIG} is read", where)
    listed = body.get("layers")
    if not isinstance(listed, list) or not 0 < len(listed) <= LAYERS:
        raise _refused(f"an image has 1 to {LAYERS} layers", where)
    layers = tuple(read_descriptor(one, where, LARGE) for one in listed)
    for layer in layers:
        _check_media(layer, where)
    return config, layers


def _check_media(layer: Descriptor, where: str) -> None:
    """Raise InputError for layers that are not plain tars.

    Compressed layers are refused too. The manifest names the compressed bytes, but a store keeps uncompressed ones, so
    the image could not be exported again under its digest. Images of this project are never compressed.
    """
    if layer.media == LAYER:
        return
    if layer.media.startswith(LAYER):
        raise InputError(
            f"a layer is compressed ({layer.media[:80]}); images here hold plain tars, so that one digest names them",
            where=where,
            next="fetch one that was pushed with `harness images push`, or build it with `harness images build`",
        )
    raise _refused(f"a layer of type {layer.media[:80]!r}; only {LAYER} is read", where)


def check_config(data: bytes, layers: tuple[Descriptor, ...], where: str) -> None:
    """Raise InputError for a config whose diff_ids are not the manifest's layers."""
    rootfs = read_json(data, where).get("rootfs")
    if not isinstance(rootfs, dict) or rootfs.get("type") != "layers":
        raise _refused("the config names no layers", where)
    if rootfs.get("diff_ids") != [f"sha256:{layer.sha256}" for layer in layers]:
        raise _refused("the config's diff_ids are not the manifest's layers", where)


def require_pinned(pin: Pin, expected: Pin | None, where: str) -> None:
    """Raise InputError for an image that is not the expected one; without an expectation any image passes."""
    if expected is None or pin == expected:
        return
    pairs = zip(
        ("manifest", "config", *("layer" for _ in pin.diff_ids)),
        (pin.manifest, pin.image_id, *pin.diff_ids),
        (expected.manifest, expected.image_id, *expected.diff_ids),
        strict=False,
    )
    differs = next((f"its {part} is {was}, expected {is_}" for part, was, is_ in pairs if was != is_), "its layers")
    raise InputError(
        f"this is another image than the one that is meant: {differs}",
        where=where,
        next="fetch the one that is meant, by its digest; or keep this one under a name of its own",
    )


def read_document(read: Read, most: int, where: str) -> bytes:
    """Read a small document whole; raises InputError if it is longer than the bound."""
    data = bytearray()
    while piece := read(min(1 << 16, most + 1 - len(data))):
        data += piece
        if len(data) > most:
            raise _refused(f"a document of more than {most} bytes", where)
    return bytes(data)


class _Incoming(RawIOBase):
    """Stream that writes a download to a file while it is hashed, and refuses more bytes than announced."""

    def __init__(self, read: Read, handle: int, want: Descriptor, where: str, meter: Meter) -> None:
        self._read, self._handle, self._meter = read, handle, meter
        self._left, self._where = want.size, where

    def readinto(self, buffer: Any) -> int:
        piece = self._read(min(len(buffer), self._left + 1))
        if len(piece) > self._left:
            raise _refused("more bytes come than the manifest announces", self._where)
        self._left -= len(piece)
        write_every_byte(self._handle, piece)
        self._meter(len(piece))
        buffer[: len(piece)] = piece
        return len(piece)


def receive_blob(store: Store, read: Read, want: Descriptor, where: str, meter: Meter = ignore_progress) -> None:
    """Download one blob into a store; a blob with another size or digest is dropped, and no partial file is left."""
    with store.folder("image") as folder:
        path = folder / "blob"
        with translating_os_errors(path), open(path, "xb", buffering=0) as file:
            found, size = sha256_stream(_Incoming(read, file.fileno(), want, where, meter))
        if (found, size) != (want.sha256, want.size):
            raise InputError(
                f"the bytes of sha256:{want.sha256} are others: {size} bytes, sha256:{found}",
                where=where,
                next="fetch the image from another place; nothing of these bytes was kept",
            )
        store.blobs.adopt(path)


def has_blob(store: Store, want: Descriptor, where: str) -> bool:
    """Whether a store has an intact blob; raises InputError if its size is not that of the descriptor."""
    if store.blobs.state(want.sha256) != "sound":
        return False
    if store.blobs.size(want.sha256) != want.size:
        raise _refused(f"sha256:{want.sha256} is not {want.size} bytes long", where)
    return True


def ingest_image(
    store: Store, name: str, manifest: bytes, bring: Callable[[Descriptor], None], where: str, expected: Pin | None
) -> Image:
    """Add an image to a store by its manifest; `bring` fetches each blob that the store lacks.

    Raises InputError for another image than the expected one, before anything is fetched. The list's entry is written
    last.
    """
    config, layers = read_manifest(manifest, where)
    image = Image(check_name(name), config.sha256, sha256(manifest), tuple(layer.sha256 for layer in layers), {})
    require_pinned(image.pin, expected, where)
    image = _with_sources(store, image, where)
    if not has_blob(store, config, where):
        bring(config)
    check_config(store.blobs.read(config.sha256), layers, where)  # checked before the layers are transferred
    for layer in dict.fromkeys(layers):
        if not has_blob(store, layer, where):
            bring(layer)
    store.blobs.put(manifest)
    add_image(store, image)
    return image


def _with_sources(store: Store, image: Image, where: str) -> Image:
    """Return an image with its known sources if it was built here; another manifest of its config is refused."""
    try:
        there = find_image(store, image.pin.image_id)
    except MissingError:  # an unreadable entry is replaced
        return image
    if there is None:
        return image
    if there.manifest != image.manifest:
        raise InputError(
            f"the store holds image {there.name} with this config and another manifest",
            where=where,
            next=f"`harness images rm {there.name}` first, if the one that comes is the right one",
        )
    return replace(image, sources=there.sources)


def file_size(path: Path) -> int:
    """Return the size of a file in bytes."""
    with translating_os_errors(path):
        return path.stat().st_size


def _refused(what: str, where: str) -> InputError:
    return InputError(what, where=where, next="fetch the image again from its source, or `harness images build` it")
