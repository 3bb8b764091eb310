"""Import of a folder of downloaded files: those that manifests pin are found by digest and put into the store.

Only plain files are read, each as a stream, and nothing is followed out of the folder. It does not know what is in
the data.
"""

from __future__ import annotations

import io
import os
import shutil
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from threading import Event
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from harness.digest import sha256_stream
from harness.errors import DamageError, InputError
from harness.files import open_plain, translating_os_errors
from harness.manifest.datasets import Fetched, FetchedFiles
from harness.manifest.schema import Manifest
from harness.run.progress import Progress, raise_if_stopped
from harness.store.store import Store

MEBI = 20  # progress is told in units of 2 ** 20 bytes
KINDS = {stat.S_IFLNK: "a link", stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket"}


@dataclass(frozen=True)
class PinnedFile:
    """A published file that a manifest pins: its dataset, its path there, its URL and its digest."""

    dataset: str
    path: str
    url: str
    sha256: str
    manifests: tuple[str, ...] = field(default=(), compare=False)  # that pin it, by their names

    @property
    def base(self) -> str:
        """The last part of its path."""
        return PurePosixPath(self.path).name


@dataclass
class FolderImport:
    """The result of a folder import: files that matched, differ, were skipped or unknown, or are missing."""

    files: int = 0  # that were read
    matched: list[tuple[str, int, PinnedFile]] = field(default_factory=list)  # path in the folder, bytes
    changed: list[tuple[str, str, PinnedFile]] = field(default_factory=list)  # path in the folder, digest
    missing: list[PinnedFile] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)  # what is no plain file, or cannot be read, and why
    others: list[str] = field(default_factory=list)  # that no manifest asks for


def list_pinned_files(manifests: Iterable[Manifest]) -> list[PinnedFile]:
    """List the published files whose digest manifests pin, each once."""
    found: dict[PinnedFile, dict[str, None]] = {}
    for manifest in manifests:
        for one in _pins(manifest):
            found.setdefault(one, {})[manifest.name] = None
    return [replace(one, manifests=(*names,)) for one, names in found.items()]


def _pins(manifest: Manifest) -> Iterator[PinnedFile]:
    for name, dataset in manifest.datasets.items():
        if isinstance(dataset, FetchedFiles):
            for path, file in dataset.fetch.items():
                yield PinnedFile(name, path, file.url, file.sha256)
        elif isinstance(dataset, Fetched) and dataset.sha256:
            path = PurePosixPath(urlsplit(dataset.fetch).path).name
            yield PinnedFile(name, path, dataset.fetch, dataset.sha256)


def find_namesake(one: PinnedFile, paths: Iterable[str]) -> str:
    """Find the only path that is called as a pinned file is; empty if there is none, or more than one of the best kind.

    Best is its own path; then its base name, that of its dataset with any ending, and its base name behind other words
    (`figure1_scores.csv`, `pereira-order.npy`).
    """
    listed = [*paths]
    if one.path in listed:
        return one.path
    bases = {path: PurePosixPath(path) for path in listed}
    kinds = (
        [path for path, own in bases.items() if own.name == one.base],
        [path for path, own in bases.items() if "/" not in one.path and _alike(own.stem) == _alike(one.dataset)],
        [path for path, own in bases.items() if _alike(own.name).endswith(f"_{_alike(one.base)}")],
    )
    found: list[str] = next((kind for kind in kinds if kind), [])
    return found[0] if len(found) == 1 and one.base else ""


def _alike(name: str) -> str:
    return name.replace("-", "_")


def collect_pinned(
    folder: Path, pinned: Sequence[PinnedFile], store: Store, progress: Progress, stop: Event
) -> FolderImport:
    """Read all plain files below a folder and put those with pinned digests into the store; report on every file.

    A file that cannot be read is reported and skipped; setting `stop` ends the reading with Interrupted.
    """
    done, digests = FolderImport(), {one.sha256 for one in pinned}
    sizes = dict(sorted(_plain_files(folder, done.skipped)))
    heard = _Heard(progress, sum(sizes.values()), stop)
    found: dict[str, str] = {}
    for path in sizes:
        try:
            found[path] = _read(folder / path, digests, store, heard.of(path))
        except InputError as bad:
            done.skipped[path] = bad.what
    done.files = len(found)
    strange = {path: digest for path, digest in found.items() if digest not in digests}
    _match(done, pinned, found, sizes)
    _sort(done, pinned, strange, store)
    return done


def _match(
    done: FolderImport, pinned: Sequence[PinnedFile], found: Mapping[str, str], sizes: Mapping[str, int]
) -> None:
    """Find for each pinned file the one that has its bytes: of several, the one that lies where it should."""
    by_digest: dict[str, list[str]] = {}
    for path, digest in found.items():
        by_digest.setdefault(digest, []).append(path)
    for one in pinned:
        if paths := by_digest.get(one.sha256):
            path = one.path if one.path in paths else paths[0]
            done.matched.append((path, sizes[path], one))


def _sort(done: FolderImport, pinned: Sequence[PinnedFile], strange: Mapping[str, str], store: Store) -> None:
    """Tell among the files that match nothing those that stand where a pinned one should, and count the rest."""
    here = {one for _, _, one in done.matched}
    taken = set()
    for one in pinned:
        path = find_namesake(one, strange) if one not in here else one.path if one.path in strange else ""
        if path:
            done.changed.append((path, strange[path], one))
            taken.add(path)
        if not path and one not in here and store.blobs.state(one.sha256) != "sound":
            done.missing.append(one)
    done.others = [path for path in strange if path not in taken]


def _plain_files(folder: Path, skipped: dict[str, str]) -> Iterator[tuple[str, int]]:
    """Yield the plain files of a folder with their sizes; everything else is named and left alone."""
    waiting = [""]
    while waiting:
        under = waiting.pop()
        try:
            found = sorted(os.scandir(folder / under), key=lambda entry: entry.name)
            facts = [entry.stat(follow_symlinks=False) for entry in found]
        except OSError as bad:
            skipped[under or "."] = f"not to be read: {bad.strerror}"
            continue
        for entry, fact in zip(found, facts, strict=True):
            path = f"{under}{entry.name}"
            if not path.isprintable():
                skipped[ascii(path)] = "a name that no terminal shows"
            elif stat.S_ISDIR(fact.st_mode):
                waiting.append(f"{path}/")
            elif stat.S_ISREG(fact.st_mode):
                yield path, fact.st_size
            else:
                skipped[path] = KINDS.get(stat.S_IFMT(fact.st_mode), "a device")


def _read(path: Path, pinned: Collection[str], store: Store, hear: Callable[[int], None]) -> str:
    """Name the bytes of a file, and put them into the store if they are pinned; what is put there is what was read."""
    with _open(path) as file, translating_os_errors(path):
        digest = sha256_stream(_Stream(file, hear))[0]
        if digest in pinned and store.blobs.state(digest) != "sound":
            file.seek(0)
            with store.folder("import") as place:
                with open(place / "data", "wb") as copy:
                    shutil.copyfileobj(file, copy)
                if store.blobs.adopt(place / "data")[0] != digest:
                    raise InputError("it changed while it was read", where=str(path), next="import it again")
    if digest in pinned:
        store.keep(digest)
    return digest


def _open(path: Path) -> BinaryIO:
    """Open a file of the folder; one that became something else since it was listed is told as that."""
    try:
        return open_plain(path)
    except OSError as bad:
        raise InputError(f"not to be read: {bad.strerror}", where=str(path)) from bad
    except DamageError as bad:
        raise InputError("no plain file", where=str(path)) from bad


class _Stream(io.RawIOBase):
    """A file that tells how much of it was read."""

    def __init__(self, file: BinaryIO, hear: Callable[[int], None]) -> None:
        self._file, self._hear = file, hear

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes into a buffer and report how many there were."""
        count: int = self._file.readinto(buffer)  # type: ignore[attr-defined]  # every plain file that is open has it
        self._hear(count)
        return count


class _Heard:
    """Who is told how far the reading is, and who may end it."""

    def __init__(self, progress: Progress, size: int, stop: Event) -> None:
        self._progress, self._stop, self._bytes = progress, stop, 0
        self._size, self._total = max(1, size), max(1, size >> MEBI)

    def of(self, path: str) -> Callable[[int], None]:
        """Return the function that is called with the number of bytes read of one file; it raises on a stop."""

        def hear(count: int) -> None:
            raise_if_stopped(self._stop)
            self._bytes += count
            self._progress(path, "read", min(self._total, self._bytes * self._total // self._size), self._total)

        return hear
