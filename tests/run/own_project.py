"""A project with a manifest of one's own questions: the files that stand in it, and how it is locked and run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.errors import HarnessError
from harness.manifest.load import load_manifest
from harness.manifest.lockfile import Lock, load_lock
from harness.run.service import FinishedRun, RunTarget, lock_manifest, run_manifest

MANIFEST = """harness: 2
study: questions
name: capitals
about: Capitals of the world.
models:
  oracle: {provider: baseline, behaviour: oracle}
datasets:
  capitals: {file: data/capitals.csv, fields: {input: question, target: answer}}
prompts: {text: "Question: {question}\\nAnswer:"}
resources: {gpus: 0, memory: 2GiB, timeout: 10m}
settings: {score: [exact]}
"""
CAPITALS = "question,answer,note\nCapital of France?,Paris,x\nCapital of Italy?,Rome,y\n"


@dataclass(frozen=True)
class OwnProject:
    """A project in a folder, and the store that its runs share with those of other projects."""

    root: Path
    place: RunTarget

    @property
    def path(self) -> Path:
        """The manifest."""
        return self.root / "manifests" / "capitals.yaml"

    @property
    def data(self) -> Path:
        """The file of questions."""
        return self.root / "data" / "capitals.csv"

    def edit(self, old: str, new: str) -> None:
        """Write something else for a part of the manifest that stands there once."""
        text = self.path.read_text()
        assert text.count(old) == 1
        self.path.write_text(text.replace(old, new))

    def lock(self) -> Lock:
        """Lock the manifest as it stands."""
        return lock_manifest(load_manifest(self.path), self.place).lock

    def held(self) -> Lock:
        """Load the lock that stands there."""
        found = load_lock(self.root, "capitals")
        assert found
        return found

    def refused(self) -> HarnessError:
        """Give the error by which the manifest is refused at `lock`."""
        with pytest.raises(HarnessError) as error:
            self.lock()
        assert error.value.next
        return error.value

    def run(self) -> FinishedRun:
        """Lock the manifest and run it."""
        self.lock()
        return run_manifest(load_manifest(self.path), self.place, lambda *_: None)


def own_project(folder: Path, place: RunTarget, files: Mapping[str, str] | None = None) -> OwnProject:
    """Write a project of one manifest with its questions, and further files."""
    (folder / "lockfiles").mkdir(parents=True)
    said: dict[str, Any] = {"manifests/capitals.yaml": MANIFEST, "data/capitals.csv": CAPITALS, **(files or {})}
    for name, text in said.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return OwnProject(folder, place)
