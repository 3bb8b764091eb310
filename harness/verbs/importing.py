"""The verb `import`: copies a user's own file of data, of a dataset or of another run's responses into the store.

Of a folder of downloaded files, those that manifests pin are found by digest. Only plain files are read, each as a
stream, and no link is followed out of the folder. Independent of what is in the data.
"""

from __future__ import annotations

import io
import os
import shutil
import stat
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from threading import Event
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from pydantic import Field

from harness.digest import sha256_stream
from harness.errors import AGREED, DISAGREED, DamageError, HarnessError, InputError
from harness.files import open_plain, translating_os_errors
from harness.manifest.datasets import Fetched, FetchedFiles
from harness.manifest.schema import Manifest
from harness.models.providers.imported import gather_rows
from harness.run.locking.published import store_file, store_rows
from harness.run.progress import Progress, raise_if_stopped
from harness.store.store import Store
from harness.studies.registry import importers
from harness.verbs.project import Project, Result, Watch
from harness.verbs.requests import ImportFolderRequest, ImportRequest, PathText

__all__ = [
    "ImportFolderResult",
    "ImportResult",
    "import_",
    "import_folder",
]

DATA, RESPONSES = "data", "responses"


class OtherPin(Result):
    """Pinned file that has the name of an imported file and another digest."""

    dataset: str
    path: str
    manifests: list[str]
    wanted: str


class ImportResult(Result):
    """Result of `import`: what is in the store now, and the digest by which a manifest pins it."""

    kind: str
    sha256: str
    bytes: int = 0  # of data
    rows: int = 0  # of a dataset, or of responses
    models: dict[str, int] = Field(default_factory=dict)  # of responses: rows by the model that they name
    counts: dict[str, dict[str, Any]] = Field(default_factory=dict)  # of a dataset: instances and prompts, by benchmark
    other: list[OtherPin] = Field(default_factory=list)  # of data: pins of its name with another digest

    @property
    def code(self) -> int:
        """Exit code: 1 if the file is not the one that is pinned under its name."""
        return DISAGREED if self.other else AGREED


class MatchedFile(Result):
    """File of the folder that is in the store now, with its dataset and path."""

    file: str
    dataset: str
    path: str
    sha256: str
    bytes: int


class ChangedFile(Result):
    """File of the folder with a pinned name and another digest; it was not stored."""

    file: str
    dataset: str
    path: str
    manifests: list[str]
    wanted: str
    found: str


class MissingFile(Result):
    """Pinned file that is neither in the store nor in the folder, and where it is published."""

    dataset: str
    path: str
    url: str
    sha256: str


class ImportFolderResult(Result):
    """Result of `import data FOLDER`: matched, changed and missing files."""

    kind: str
    files: int  # how many were read
    matched: list[MatchedFile]
    changed: list[ChangedFile]
    missing: list[MissingFile]
    skipped: dict[str, str]  # files that are not plain or cannot be read, and why
    others: list[str]  # files that no manifest asks for

    @property
    def code(self) -> int:
        """Exit code: 1 if a file is not the one that is pinned under its name."""
        return DISAGREED if self.changed else AGREED


def import_folder(project: Project, asked: ImportFolderRequest, watch: Watch | None = None) -> ImportFolderResult:
    """Import the files of a folder that manifests pin, found by their digests; other files are not stored."""
    watch, folder = watch or Watch(), project.path(asked.folder)
    if not folder.is_dir():
        raise InputError("there is no such folder", where=str(asked.folder), next="check the path")
    pinned = list_pinned_files(_manifests(project, asked.manifests, watch))
    if not pinned:
        raise InputError(
            "no manifest here pins published data",
            where=str(asked.folder),
            next="give a dataset `fetch:` and digests, or name a manifest with --manifest",
        )
    store = Store.make(project.store)
    with store.in_use():
        done = collect_pinned(folder, pinned, store, watch.task(f"read {folder.name}"), watch.stop)
    return ImportFolderResult(
        kind=DATA,
        files=done.files,
        skipped=done.skipped,
        others=done.others,
        matched=[
            MatchedFile(file=file, dataset=one.dataset, path=one.path, sha256=one.sha256, bytes=size)
            for file, size, one in done.matched
        ],
        changed=[
            ChangedFile(
                file=file,
                dataset=one.dataset,
                path=one.path,
                manifests=list(one.manifests),
                wanted=one.sha256,
                found=found,
            )
            for file, found, one in done.changed
        ],
        missing=[
            MissingFile(dataset=one.dataset, path=one.path, url=one.url, sha256=one.sha256) for one in done.missing
        ],
    )


def _manifests(project: Project, named: Sequence[PathText], watch: Watch) -> Iterator[Manifest]:
    """Yield the manifests that are named or, if none are, all that can be read; the others are reported."""
    for path in named:
        yield project.manifest(path).manifest
    for path in () if named else project.manifests():
        try:
            yield project.manifest(path).manifest
        except HarnessError as bad:
            watch.say(f"{path.name} is left out: {bad.what}")


def import_(project: Project, asked: ImportRequest) -> ImportResult:
    """Import a user's own copy of data, of a dataset or of responses; return the digest that a manifest pins.

    Raises an error for an unknown kind, and for a file that is missing or has another form.
    """
    known, file = importers(), project.path(asked.file)
    if asked.kind not in (DATA, RESPONSES, *known):
        choices = ", ".join((DATA, RESPONSES, *sorted(known)))
        raise InputError(f"nothing is imported as {asked.kind!r}", where="KIND", next=f"use one of: {choices}")
    if not file.exists():  # checked before a store is made
        raise InputError("there is no such file", where=str(asked.file), next="check the path")
    if asked.kind == DATA:
        digest, size = store_file(Store.make(project.store), file)
        if others := _others(project, file.name, digest):
            return ImportResult(kind=DATA, sha256=digest, bytes=size, other=others)
        return ImportResult(kind=DATA, sha256=digest, bytes=size)
    if asked.kind == RESPONSES:
        answers = gather_rows(file)
        digest = store_rows(Store.make(project.store), answers)
        return ImportResult(kind=RESPONSES, sha256=digest, rows=len(answers), models=_by_model(answers))
    found, counts = known[asked.kind](file, asked.columns)
    digest = store_rows(Store.make(project.store), found)
    return ImportResult(kind=asked.kind, sha256=digest, rows=len(found), models=_by_model(found), counts=counts)


def _others(project: Project, name: str, digest: str) -> list[OtherPin]:
    """Return what the project pins under a file's name; empty if the file itself is pinned, or without a project."""
    try:
        pinned = list_pinned_files(_manifests(project, (), Watch()))
    except InputError:  # a store that is named by an option needs no project
        return []
    known = any(one.sha256 == digest for one in pinned)
    return [
        OtherPin(dataset=one.dataset, path=one.path, manifests=[*one.manifests], wanted=one.sha256)
        for one in pinned
        if not known and find_namesake(one, [name])
    ]


def _by_model(found: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Count rows by the model that they name; rows without a model are not counted."""
    return dict(sorted(Counter(row["model"] for row in found if "model" in row).items()))


MEBI = 20  # progress is reported in units of 2 ** 20 bytes
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
        """The file's name: the last part of its path."""
        return PurePosixPath(self.path).name


@dataclass
class FolderImport:
    """The result of a folder import: files that matched, differ, were skipped or unknown, or are missing."""

    files: int = 0  # that were read
    matched: list[tuple[str, int, PinnedFile]] = field(default_factory=list)  # path in the folder, bytes
    changed: list[tuple[str, str, PinnedFile]] = field(default_factory=list)  # path in the folder, digest
    missing: list[PinnedFile] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)  # what is not a plain file, or cannot be read, and why
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
    """Return the only path that is named like a pinned file; empty if there is none, or several of the best kind.

    Best is the file's own path; then its base name, the name of its dataset with any ending, and its base name after
    other words (`figure1_scores.csv`, `pereira-order.npy`).
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
    """Note for each pinned file one that has its bytes; of several, the one at the pinned path."""
    by_digest: dict[str, list[str]] = {}
    for path, digest in found.items():
        by_digest.setdefault(digest, []).append(path)
    for one in pinned:
        if paths := by_digest.get(one.sha256):
            path = one.path if one.path in paths else paths[0]
            done.matched.append((path, sizes[path], one))


def _sort(done: FolderImport, pinned: Sequence[PinnedFile], strange: Mapping[str, str], store: Store) -> None:
    """Note which unmatched files have the name of a pinned one, which pinned files are missing, and the rest."""
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
    """Yield the plain files of a folder with their sizes; everything else is noted in `skipped`."""
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
    """Return the digest of a file, and put the file into the store if its digest is pinned.

    Raises InputError if the file changed while it was read.
    """
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
    """Open a file of the folder; raise InputError if it cannot be read, or is no longer a plain file."""
    try:
        return open_plain(path)
    except OSError as bad:
        raise InputError(f"not to be read: {bad.strerror}", where=str(path)) from bad
    except DamageError as bad:
        raise InputError("no plain file", where=str(path)) from bad


class _Stream(io.RawIOBase):
    """A file that reports how much of it was read."""

    def __init__(self, file: BinaryIO, hear: Callable[[int], None]) -> None:
        self._file, self._hear = file, hear

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes into a buffer and report how many there were."""
        count: int = self._file.readinto(buffer)  # type: ignore[attr-defined]  # every plain file that is open has it
        self._hear(count)
        return count


class _Heard:
    """Reporter of how much was read, which also checks for a request to stop."""

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
