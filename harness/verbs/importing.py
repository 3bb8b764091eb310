"""The verb `import`: brings a person's copy of data, of a dataset or of another run's responses into the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field

from harness.errors import AGREED, DISAGREED, HarnessError, InputError
from harness.manifest.schema import Manifest
from harness.models.providers.imported import gather_rows
from harness.run.locking.downloads import collect_pinned, find_namesake, list_pinned_files
from harness.run.locking.published import store_file, store_rows
from harness.store.store import Store
from harness.studies.registry import importers
from harness.verbs.project import PathText, Project, Request, Result, Watch

DATA, RESPONSES = "data", "responses"


class ImportRequest(Request):
    """Request of `import`: of which kind the data is, the file, and the names of its columns."""

    kind: str = Field(description="`data`, `responses` of another run, or a dataset that a study knows by name.")
    file: PathText = Field(description="Your copy of it; of responses, and of what a study reads so, a folder too.")
    columns: dict[str, str] = Field(default_factory=dict, description="What its columns are called in your copy.")


class OtherPin(Result):
    """Pinned file that is called as a file that was imported, and has another digest."""

    dataset: str
    path: str
    manifests: list[str]
    wanted: str


class ImportResult(Result):
    """Result of `import`: what is in the store now, by the digest that a manifest pins."""

    kind: str
    sha256: str
    bytes: int = 0  # of data
    rows: int = 0  # of a dataset, or of responses
    models: dict[str, int] = Field(default_factory=dict)  # of responses: rows by the model that they name
    counts: dict[str, dict[str, Any]] = Field(default_factory=dict)  # of a dataset: instances and prompts, by benchmark
    other: list[OtherPin] = Field(default_factory=list)  # of data: what manifests pin under its name, and it is not

    @property
    def code(self) -> int:
        """Exit code: 1 where the file is not what is pinned under its name."""
        return DISAGREED if self.other else AGREED


class ImportFolderRequest(Request):
    """Request of `import data FOLDER`: the folder to search, and the manifests whose data is wanted."""

    folder: PathText = Field(description="A folder of files that you have; links in it are not followed.")
    manifests: Sequence[PathText] = Field(default_factory=list, description="Manifest files; none: all of the project.")


class MatchedFile(Result):
    """File of the folder that is in the store now, with its dataset and path."""

    file: str
    dataset: str
    path: str
    sha256: str
    bytes: int


class ChangedFile(Result):
    """File of the folder with a pinned name and another digest: nothing of it was kept."""

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
    files: int  # that were read
    matched: list[MatchedFile]
    changed: list[ChangedFile]
    missing: list[MissingFile]
    skipped: dict[str, str]  # what is no plain file or cannot be read, and why
    others: list[str]  # files that no manifest asks for

    @property
    def code(self) -> int:
        """Exit code: 1 where a file is not what is pinned under its name."""
        return DISAGREED if self.changed else AGREED


def import_folder(project: Project, asked: ImportFolderRequest, watch: Watch | None = None) -> ImportFolderResult:
    """Import the files of a folder that manifests pin, found by digest; a file of another digest is not kept."""
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
    """Load the manifests that are named, or all that can be read; the others are reported."""
    for path in named:
        yield project.manifest(path).manifest
    for path in () if named else project.manifests():
        try:
            yield project.manifest(path).manifest
        except HarnessError as bad:
            watch.say(f"{path.name} is left out: {bad.what}")


def import_(project: Project, asked: ImportRequest) -> ImportResult:
    """Import a person's own copy of data, of a dataset or of responses; gives the digest that a manifest pins.

    An unknown kind, or a file that is missing or of another form, raises an error.
    """
    known, file = importers(), project.path(asked.file)
    if asked.kind not in (DATA, RESPONSES, *known):
        choices = ", ".join((DATA, RESPONSES, *sorted(known)))
        raise InputError(f"nothing is imported as {asked.kind!r}", where="KIND", next=f"use one of: {choices}")
    if not file.exists():  # before a store is made for what was to come from it
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
    """List what the project pins under a file's name; nothing for a file that is pinned itself, or in no project."""
    try:
        pinned = list_pinned_files(_manifests(project, (), Watch()))
    except InputError:  # a store that was named needs no project
        return []
    known = any(one.sha256 == digest for one in pinned)
    return [
        OtherPin(dataset=one.dataset, path=one.path, manifests=[*one.manifests], wanted=one.sha256)
        for one in pinned
        if not known and find_namesake(one, [name])
    ]


def _by_model(found: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Count rows by the model that they name: the responses of another run, in whatever form they came."""
    return dict(sorted(Counter(row["model"] for row in found if "model" in row).items()))
