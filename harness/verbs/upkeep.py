"""The maintenance verbs `doctor`, `fsck` and `gc`."""

from __future__ import annotations

from pydantic import Field

from harness.errors import AGREED, DISAGREED, MISSING
from harness.evidence.fsck import fsck as check
from harness.run.installed.doctor import examine
from harness.store.sweep import gc as sweep
from harness.verbs.project import Project, Request, Result


class FindingData(Result):
    """Finding of `doctor`: what was checked, its state, what was found, and what would improve it."""

    state: str  # ok | better | missing
    subject: str
    found: str
    advice: str


class DoctorResult(Result):
    """Result of `doctor`: what this machine can do."""

    findings: list[FindingData]

    @property
    def code(self) -> int:
        """Exit code: 3 where something is missing."""
        return MISSING if any(one.state == "missing" for one in self.findings) else AGREED


def doctor(project: Project) -> DoctorResult:
    """Check what this machine can do, and how to improve it."""
    findings = examine(project.elsewhere, project.folder)
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
        """Exit code: 1 where anything is damaged."""
        return DISAGREED if self.flaws else AGREED


def fsck(project: Project) -> FsckResult:
    """Read every byte of the store and report what is damaged; nothing is repaired."""
    flaws = [FlawData(**vars(flaw)) for flaw in check(project.open())]
    return FsckResult(verdict="disagreed" if flaws else "agreed", flaws=flaws)


class GcRequest(Request):
    """Request of `gc`: whether unused data is deleted, or only listed."""

    delete: bool = Field(default=False, description="Delete it; without this option it is only listed.")


class GcResult(Result):
    """Result of `gc`: entries, blobs and temporary folders that nothing needs, their bytes, and whether they went."""

    deleted: bool
    entries: list[str]
    blobs: list[str]
    folders: list[str]
    bytes: int


def gc(project: Project, asked: GcRequest) -> GcResult:
    """List the data that no run or image needs, and delete it with `delete`; an error while a run uses the store."""
    found = sweep(project.open(), delete=asked.delete)
    folders = [path.name for path in found.folders]
    return GcResult(deleted=asked.delete, entries=found.entries, blobs=found.blobs, folders=folders, bytes=found.bytes)
