"""The verbs about an installation and its store, not about a run: `doctor`, `fsck`, `gc` and `docs`.

The pages of the documentation are installed with the harness. A page is named by its path below `docs/` without `.md`.
In a checkout the pages are those of `docs/`, else the copies that the wheel brings. Independent of how results are
shown.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from pathlib import Path

from harness.errors import AGREED, DISAGREED, MISSING, InputError, MissingError
from harness.evidence.fsck import find_store_flaws as check
from harness.files import translating_os_errors
from harness.run.installed.doctor import examine_machine
from harness.run.project_folder import shipped_root
from harness.store.sweep import collect_garbage as sweep
from harness.verbs.project import Project, Result
from harness.verbs.requests import GcRequest, ShowDocRequest

__all__ = [
    "DocPage",
    "DoctorResult",
    "FsckResult",
    "GcResult",
    "ListDocsResult",
    "ShowDocResult",
    "doctor",
    "fsck",
    "gc",
    "list_docs",
    "show_doc",
]


class FindingData(Result):
    """Finding of `doctor`: what was checked, its state, what was found, and how to improve it."""

    state: str  # ok | better | missing
    subject: str
    found: str
    advice: str


class DoctorResult(Result):
    """Result of `doctor`: what this machine can do."""

    findings: list[FindingData]

    @property
    def code(self) -> int:
        """Exit code: 3 if something is missing."""
        return MISSING if any(one.state == "missing" for one in self.findings) else AGREED


def doctor(project: Project) -> DoctorResult:
    """Check what this machine can do, and how to improve it."""
    findings = examine_machine(project.elsewhere, project.folder)
    return DoctorResult(findings=[FindingData(**vars(one)) for one in findings])


class FlawData(Result):
    """Damage in a store, and where."""

    id: str
    subject: str
    detail: str


class FsckResult(Result):
    """Result of `fsck`: what is damaged in a store."""

    verdict: str  # agreed | disagreed
    flaws: list[FlawData]

    @property
    def code(self) -> int:
        """Exit code: 1 if anything is damaged."""
        return DISAGREED if self.flaws else AGREED


def fsck(project: Project) -> FsckResult:
    """Read every byte of the store and report what is damaged; nothing is repaired."""
    flaws = [FlawData(**vars(flaw)) for flaw in check(project.open())]
    return FsckResult(verdict="disagreed" if flaws else "agreed", flaws=flaws)


class GcResult(Result):
    """Result of `gc`: unneeded entries, blobs and temporary folders, their bytes, and whether they were deleted."""

    deleted: bool
    entries: list[str]
    blobs: list[str]
    folders: list[str]
    bytes: int


def gc(project: Project, asked: GcRequest) -> GcResult:
    """List the data that no run or image needs, and delete it with `delete`; raise an error if a run uses the store."""
    found = sweep(project.open(), delete=asked.delete)
    folders = [path.name for path in found.folders]
    return GcResult(deleted=asked.delete, entries=found.entries, blobs=found.blobs, folders=folders, bytes=found.bytes)


FOLDER = "docs"
_TITLE = re.compile(r"^# +(.+?)\s*$", re.MULTILINE)


class DocPage(Result):
    """One page of the documentation: its name and its title."""

    name: str
    title: str


class ListDocsResult(Result):
    """Result of `docs`: every page, in the order of their names."""

    pages: list[DocPage]


class ShowDocResult(Result):
    """Result of `docs PAGE`: the name of the page and its Markdown."""

    name: str
    text: str


def list_docs() -> ListDocsResult:
    """List the pages of the documentation, each with its title."""
    return ListDocsResult(pages=[DocPage(name=name, title=_title(path)) for name, path in _pages().items()])


def show_doc(asked: ShowDocRequest) -> ShowDocResult:
    """Return the Markdown of a page; raise InputError, with the nearest name, for a page that there is not."""
    pages = _pages()
    name = asked.page.removeprefix(f"{FOLDER}/").removesuffix(".md")
    if name not in pages:
        near = get_close_matches(name, pages, 1, 0)
        raise InputError(
            f"there is no page {name[:80]!r}",
            where="docs",
            next=f"`harness docs {near[0]}` is the nearest; `harness docs` lists all" if near else "`harness docs`",
        )
    return ShowDocResult(name=name, text=_read(pages[name]))


def _pages() -> dict[str, Path]:
    """Return the files of the pages by name; those of this folder come before those of folders in it."""
    folder = shipped_root() / FOLDER
    found = [path for path in (*sorted(folder.glob("*.md")), *sorted(folder.glob("*/*.md"))) if path.is_file()]
    if not found:
        raise MissingError(
            "the pages of the documentation are not installed",
            where=str(folder),
            next="install the harness again: pip install --force-reinstall --no-deps repro-harness",
        )
    return {path.relative_to(folder).with_suffix("").as_posix(): path for path in found}


def _title(path: Path) -> str:
    found = _TITLE.search(_read(path))
    return found[1].replace("`", "") if found else ""


def _read(path: Path) -> str:
    with translating_os_errors(path):
        return path.read_text(encoding="utf-8")
