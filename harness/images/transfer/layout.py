"""Images as files, and the ingest of a foreign image: an OCI layout folder, or one archive that `docker load` reads.

Writing is deterministic: one image has one archive. All data that is read is untrusted, wherever it comes from:
manifests are validated, sizes are bounded, every byte is checked against its digest, nothing is decompressed. Counters
of moved bytes report progress.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import tarfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from io import RawIOBase
from pathlib import Path
from secrets import token_hex
from tarfile import BLOCKSIZE, GNU_FORMAT, RECORDSIZE, TarInfo
from typing import Any, BinaryIO, Protocol

from harness.digest import CHUNK, canonical_json, sha256, sha256_stream
from harness.errors import InputError, MissingError
from harness.files import make_folder, move_durable, sync_folder, translating_os_errors, write_atomic, write_every_byte
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


MEMBERS = 10_000  # far more members than any image has
HEADER = 1 << 16  # most bytes of a tar's headers read at once


class LayoutFiles(Protocol):
    """Interface for reading the files of an OCI image layout, in a folder or an archive."""

    path: Path

    def part(self, name: str) -> AbstractContextManager[Read]:
        """Context manager that opens one file of the layout and yields the function that reads its bytes."""


@contextmanager
def open_layout(path: Path) -> Iterator[LayoutFiles]:
    """Context manager that opens a layout's folder or archive."""
    with translating_os_errors(path):
        facts = path.stat()
    if stat.S_ISDIR(facts.st_mode):
        yield _Folder(path)
    elif stat.S_ISREG(facts.st_mode):
        with translating_os_errors(path), open(path, "rb") as file:
            yield _Archive(path, file, facts.st_size)
    else:
        raise InputError("neither a folder nor a file", where=str(path), next="give an OCI layout or an archive of one")


def _absent(path: Path, name: str) -> InputError:
    return InputError(
        f"{name} is missing", where=str(path), next="give a whole OCI layout, such as `harness images save` writes"
    )


class _Folder:
    """Layout in a folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        for name in ("blobs", "blobs/sha256"):
            if (path / name).is_symlink():
                raise InputError(f"{name} is a link", where=str(path), next="give a layout without links")

    @contextmanager
    def part(self, name: str) -> Iterator[Read]:
        """Context manager that opens one file; links and devices are refused."""
        try:
            handle = os.open(self.path / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError as bad:
            raise _absent(self.path, name) from bad
        except OSError as bad:
            raise InputError(
                f"{name} cannot be read: {bad.strerror}", where=str(self.path), next="give a layout without links"
            ) from bad
        with open(handle, "rb", buffering=0) as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise InputError(f"{name} is not a plain file", where=str(self.path), next="give a plain layout")
            yield file.read


class _Bounded:
    """File wrapper for the tar reader that bounds each read; seeking is not restricted."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= HEADER:
            raise ValueError("a header of this tar is too long")
        return self._file.read(size)


class _Archive:
    """Layout in a tar; its members are listed once and read in place."""

    def __init__(self, path: Path, file: BinaryIO, size: int) -> None:
        self.path = path
        self._file = file
        self._found: dict[str, tuple[int, int]] = {}
        try:
            with tarfile.open(fileobj=_Bounded(file), mode="r:") as tar:  # type: ignore[call-overload]
                count = 0
                while member := tar.next():
                    count += 1
                    if count > MEMBERS:
                        raise self._refused(f"this archive has more than {MEMBERS} members")
                    self._note(member, size)
        except (tarfile.TarError, ValueError, OverflowError, RecursionError, EOFError) as bad:
            raise InputError(
                "this is not an archive of an image, or it was cut short or compressed",
                where=str(path),
                next="fetch it again, and decompress it first; `harness images save` writes such archives",
            ) from bad

    def _note(self, member: tarfile.TarInfo, size: int) -> None:
        name = member.name.removeprefix("./")
        if name.startswith("/") or ".." in name.split("/"):
            raise self._refused(f"a path in this archive leads out of it: {name[:80]!r}")
        if member.isdir():
            return
        if not member.isreg() or member.issparse():
            raise self._refused(f"{name[:80]!r} in this archive is a link, a device or a sparse file")
        if member.size < 0 or member.offset_data + member.size > size:
            raise self._refused(f"{name[:80]!r} is longer than this archive: it was cut short")
        if name in self._found:
            raise self._refused(f"{name[:80]!r} stands in this archive twice")
        self._found[name] = (member.offset_data, member.size)

    def _refused(self, what: str) -> InputError:
        return InputError(what, where=str(self.path), next="fetch the archive again from its source")

    @contextmanager
    def part(self, name: str) -> Iterator[Read]:
        """Context manager that opens one member of the tar."""
        if name not in self._found:
            raise _absent(self.path, name)
        offset, left = self._found[name]

        def read(size: int) -> bytes:
            nonlocal offset, left
            with translating_os_errors(self.path):
                self._file.seek(offset)
                piece = self._file.read(min(size, left))
            offset, left = offset + len(piece), left - len(piece)
            return piece

        yield read


VERSION = b'{"imageLayoutVersion":"1.0.0"}'


def image_tag(image: Image) -> str:
    """Return the tag of an image for an engine: its name and the start of its ID, so that no tag means two images."""
    return f"harness/{re.sub('[^a-z0-9]+', '-', image.name).strip('-')}:{image.config[:12]}"


def blob_path(digest: str) -> str:
    """Return the path of a blob in a layout."""
    return f"blobs/sha256/{digest}"


def describe_blobs(store: Store, image: Image) -> list[Descriptor]:
    """Return the checked descriptors of an image's blobs in a store: the config, then each layer once."""
    blobs = [(CONFIG, image.config), *((LAYER, layer) for layer in dict.fromkeys(image.layers))]
    return [Descriptor(media, digest, file_size(store.blobs.deliver(digest))) for media, digest in blobs]


def _heads(store: Store, image: Image) -> dict[str, bytes]:
    """Return the small files at the start of an archive: the OCI index and the manifest that `docker load` reads."""
    manifest = Descriptor(MANIFEST, image.manifest, file_size(store.blobs.deliver(image.manifest)))
    names = {
        "io.containerd.image.name": f"docker.io/{image_tag(image)}",
        "org.opencontainers.image.ref.name": image_tag(image),
    }
    index = {"schemaVersion": 2, "mediaType": INDEX, "manifests": [{**manifest.as_data(), "annotations": names}]}
    docker = [
        {
            "Config": blob_path(image.config),
            "RepoTags": [image_tag(image)],
            "Layers": [blob_path(layer) for layer in image.layers],
        }
    ]
    return {"oci-layout": VERSION, "index.json": canonical_json(index), "manifest.json": canonical_json(docker)}


def archive_bytes(store: Store, image: Image) -> Iterator[bytes]:
    """Yield the bytes of an image's archive, which are always the same; blobs are checked before they are sent."""
    length = 0
    for piece in _members(store, image):
        length += len(piece)
        yield piece
    yield bytes(2 * BLOCKSIZE + -(length + 2 * BLOCKSIZE) % RECORDSIZE)


def _members(store: Store, image: Image) -> Iterator[bytes]:
    for name, data in _heads(store, image).items():
        yield _header(name, len(data)) + data + bytes(-len(data) % BLOCKSIZE)
    for digest in dict.fromkeys((image.manifest, image.config, *image.layers)):
        path = store.blobs.deliver(digest)
        size = file_size(path)
        yield _header(blob_path(digest), size)
        with translating_os_errors(path), open(path, "rb", buffering=0) as file:
            while piece := file.read(CHUNK):
                yield piece
        yield bytes(-size % BLOCKSIZE)


def _header(name: str, size: int) -> bytes:
    entry = TarInfo(name)  # owner, group and time are zero
    entry.size = size
    return entry.tobuf(GNU_FORMAT)


def write_archive(store: Store, image: Image, path: Path, meter: Meter = ignore_progress) -> None:
    """Write an image as one archive file, atomically."""
    temp = path.parent / f".{path.name}.{token_hex(4)}.tmp"
    if path.is_dir():
        raise InputError("the archive cannot be written: this is a folder", where=str(path), next="name a file")
    with translating_os_errors(path):
        make_folder(path.parent)
        try:
            with open(temp, "xb") as file:
                for piece in archive_bytes(store, image):
                    file.write(piece)
                    meter(len(piece))
            move_durable(temp, path, 0o644)
        finally:
            temp.unlink(missing_ok=True)


def write_layout(store: Store, image: Image, folder: Path, meter: Meter = ignore_progress) -> None:
    """Write an image as an OCI layout folder, atomically; a path that exists and is not an empty folder is refused."""
    with translating_os_errors(folder):
        if folder.is_symlink() or (folder.exists() and not (folder.is_dir() and not any(folder.iterdir()))):
            raise InputError(
                "this path exists already", where=str(folder), next="name a new folder, or remove this one first"
            )
        make_folder(folder.parent)
        temp = folder.parent / f".{folder.name}.{token_hex(4)}.tmp"
        temp.mkdir()
        try:
            for digest in dict.fromkeys((image.manifest, image.config, *image.layers)):
                with open(store.blobs.deliver(digest), "rb", buffering=0) as source, open(temp / "part", "xb") as part:
                    while piece := source.read(CHUNK):
                        part.write(piece)
                        meter(len(piece))
                move_durable(temp / "part", temp / blob_path(digest), 0o644)
            for name in ("index.json", "oci-layout"):
                write_atomic(temp / name, _heads(store, image)[name])
            temp.rename(folder)  # replaces an empty folder
            sync_folder(folder.parent)
        finally:
            shutil.rmtree(temp, ignore_errors=True)


def read_layout(
    store: Store, path: Path, name: str, expected: Pin | None = None, meter: Meter = ignore_progress
) -> Image:
    """Add the image of a layout folder or an archive to a store; it is listed only if every byte is right.

    If `expected` is given, any other image is refused.
    """
    check_name(name)
    with store.in_use(), open_layout(path) as parts:
        wanted = _chosen(read_json(_small(parts, "index.json"), f"{path}: index.json"), name, path)
        where = f"{path}: {blob_path(wanted.sha256)}"
        manifest = _small(parts, blob_path(wanted.sha256))
        if (sha256(manifest), len(manifest)) != (wanted.sha256, wanted.size):
            raise InputError(
                "the manifest's bytes are not what index.json names", where=where, next="fetch the file anew"
            )

        def bring(want: Descriptor) -> None:
            with parts.part(blob_path(want.sha256)) as read:
                receive_blob(store, read, want, f"{path}: {blob_path(want.sha256)}", meter)

        return ingest_image(store, name, manifest, bring, where, expected)


def _small(parts: LayoutFiles, name: str) -> bytes:
    with parts.part(name) as read:
        return read_document(read, SMALL, f"{parts.path}: {name}")


def _chosen(index: dict[str, Any], name: str, path: Path) -> Descriptor:
    """Return the image of a layout: the only one, or the only one with that name."""
    where = f"{path}: index.json"
    listed = index.get("manifests")
    found = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    if len(found) > 1:
        found = [one for one in found if _called(one) in (name, f"harness/{name}")]
    if len(found) != 1:
        raise InputError(
            f"{len(listed) if isinstance(listed, list) else 0} images lie here, and not one is called {name!r} alone",
            where=where,
            next="give a layout that holds one image",
        )
    wanted = read_descriptor(found[0], where, SMALL)
    if wanted.media != MANIFEST:
        raise InputError(
            f"index.json names a {wanted.media[:80]!r}; only {MANIFEST} is read",
            where=where,
            next="give a layout that holds one OCI image for one platform",
        )
    return wanted


def _called(one: dict[str, Any]) -> str:
    """Return the name that an index has for an image, without its tag."""
    notes = one.get("annotations")
    text = notes.get("org.opencontainers.image.ref.name") if isinstance(notes, dict) else None
    return text.partition(":")[0] if isinstance(text, str) else ""
