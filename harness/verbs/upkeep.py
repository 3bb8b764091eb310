"""The keeper's verbs: `doctor`, `fsck`, `gc`."""

from __future__ import annotations

from pydantic import Field

from harness.errors import AGREED, DISAGREED, MISSING
from harness.evidence.fsck import fsck as check
from harness.run.doctor import examine
from harness.store.sweep import gc as sweep
from harness.verbs.project import Project, Request, Result


class FindingData(Result):
    """One thing that was looked at, and what would make it better."""

    state: str  # ok | better | missing
    subject: str
    found: str
    advice: str


class DoctorResult(Result):
    """What this machine can do."""

    findings: list[FindingData]

    @property
    def code(self) -> int:
        """Give the exit code: 3 where something is missing."""
        return MISSING if any(one.state == "missing" for one in self.findings) else AGREED


def doctor(project: Project) -> DoctorResult:
    """Say what this machine can do, and how to do better."""
    findings = examine(project.elsewhere, project.folder)
    return DoctorResult(findings=[FindingData(**vars(one)) for one in findings])


class FlawData(Result):
    """One thing that is wrong in a store."""

    id: str
    subject: str
    detail: str


class FsckResult(Result):
    """What is damaged in a store."""

    verdict: str  # agreed | disagreed
    flaws: list[FlawData]

    @property
    def code(self) -> int:
        """Give the exit code: 1 where anything is damaged."""
        return DISAGREED if self.flaws else AGREED


def fsck(project: Project) -> FsckResult:
    """Read every byte of the store and name what is damaged."""
    flaws = [FlawData(**vars(flaw)) for flaw in check(project.open())]
    return FsckResult(verdict="disagreed" if flaws else "agreed", flaws=flaws)


class GcRequest(Request):
    """Whether what may go is deleted."""

    delete: bool = Field(default=False, description="Delete it; without this, only say what may go.")


class GcResult(Result):
    """What no run names: entries, blobs, temporary folders, and the bytes they hold."""

    deleted: bool
    entries: list[str]
    blobs: list[str]
    folders: list[str]
    bytes: int


def gc(project: Project, asked: GcRequest) -> GcResult:
    """Say what no run names and may go, and delete it where that is asked."""
    found = sweep(project.open(), delete=asked.delete)
    folders = [path.name for path in found.folders]
    return GcResult(deleted=asked.delete, entries=found.entries, blobs=found.blobs, folders=folders, bytes=found.bytes)
