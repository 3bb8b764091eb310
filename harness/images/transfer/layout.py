"""Images as files: an OCI layout folder, or one archive that is both an OCI layout and a `docker load` file.

Writing is deterministic: one image has one archive. Files that are read are not trusted; this module and `ingest.py`
check them.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tarfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from secrets import token_hex
from tarfile import BLOCKSIZE, GNU_FORMAT, RECORDSIZE, TarInfo
from typing import Any, BinaryIO, Protocol

from harness.digest import CHUNK, canonical_json, sha256
from harness.errors import InputError
from harness.files import make_folder, move_durable, sync_folder, translating_os_errors, write_atomic
from harness.images.image import CONFIG, LAYER, MANIFEST, Image, Pin
from harness.images.transfer import ingest
from harness.store.store import Store

MEMBERS = 10_000  # far more members than any image has
HEADER = 1 << 16  # most bytes of a tar's headers read at once


class LayoutFiles(Protocol):
    """Interface for reading the files of an OCI image layout, in a folder or an archive."""

    path: Path

    def part(self, name: str) -> AbstractContextManager[ingest.Read]:
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
    def part(self, name: str) -> Iterator[ingest.Read]:
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
    def part(self, name: str) -> Iterator[ingest.Read]:
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


def describe_blobs(store: Store, image: Image) -> list[ingest.Descriptor]:
    """Return the checked descriptors of an image's blobs in a store: the config, then each layer once."""
    blobs = [(CONFIG, image.config), *((LAYER, layer) for layer in dict.fromkeys(image.layers))]
    return [ingest.Descriptor(media, digest, ingest.file_size(store.blobs.deliver(digest))) for media, digest in blobs]


def _heads(store: Store, image: Image) -> dict[str, bytes]:
    """Return the small files at the start of an archive: the OCI index and the manifest that `docker load` reads."""
    manifest = ingest.Descriptor(MANIFEST, image.manifest, ingest.file_size(store.blobs.deliver(image.manifest)))
    names = {
        "io.containerd.image.name": f"docker.io/{image_tag(image)}",
        "org.opencontainers.image.ref.name": image_tag(image),
    }
    index = {"schemaVersion": 2, "mediaType": ingest.INDEX, "manifests": [{**manifest.as_data(), "annotations": names}]}
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
        size = ingest.file_size(path)
        yield _header(blob_path(digest), size)
        with translating_os_errors(path), open(path, "rb", buffering=0) as file:
            while piece := file.read(CHUNK):
                yield piece
        yield bytes(-size % BLOCKSIZE)


def _header(name: str, size: int) -> bytes:
    entry = TarInfo(name)  # owner, group and time are zero
    entry.size = size
    return entry.tobuf(GNU_FORMAT)


def write_archive(store: Store, image: Image, path: Path, meter: ingest.Meter = ingest.ignore_progress) -> None:
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


def write_layout(store: Store, image: Image, folder: Path, meter: ingest.Meter = ingest.ignore_progress) -> None:
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
    store: Store, path: Path, name: str, expected: Pin | None = None, meter: ingest.Meter = ingest.ignore_progress
) -> Image:
    """Add the image of a layout folder or an archive to a store; it is listed only if every byte is right.

    If `expected` is given, any other image is refused.
    """
    ingest.check_name(name)
    with store.in_use(), open_layout(path) as parts:
        wanted = _chosen(ingest.read_json(_small(parts, "index.json"), f"{path}: index.json"), name, path)
        where = f"{path}: {blob_path(wanted.sha256)}"
        manifest = _small(parts, blob_path(wanted.sha256))
        if (sha256(manifest), len(manifest)) != (wanted.sha256, wanted.size):
            raise InputError(
                "the manifest's bytes are not what index.json names", where=where, next="fetch the file anew"
            )

        def bring(want: ingest.Descriptor) -> None:
            with parts.part(blob_path(want.sha256)) as read:
                ingest.receive_blob(store, read, want, f"{path}: {blob_path(want.sha256)}", meter)

        return ingest.ingest_image(store, name, manifest, bring, where, expected)


def _small(parts: LayoutFiles, name: str) -> bytes:
    with parts.part(name) as read:
        return ingest.read_document(read, ingest.SMALL, f"{parts.path}: {name}")


def _chosen(index: dict[str, Any], name: str, path: Path) -> ingest.Descriptor:
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
    wanted = ingest.read_descriptor(found[0], where, ingest.SMALL)
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
