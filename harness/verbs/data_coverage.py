"""How much of published data that has many files a run, a lock or an expectation had, as verbs give it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.manifest.coverage import count_text
from harness.verbs.project import Result


class DataCoverage(Result):
    """How many files published data has, and those of them that were not to be had."""

    files: int
    here: int
    absent: list[str]

    def text(self) -> str:
        """Say it in words: `39 of 40 files (missing: b.npz)`."""
        return count_text(self.files, self.absent)


def data_coverage(said: Mapping[str, Mapping[str, Any]]) -> dict[str, DataCoverage]:
    """Give it by dataset, from what a lock or a record says."""
    return {
        name: DataCoverage(files=one["files"], here=one["files"] - len(one["absent"]), absent=list(one["absent"]))
        for name, one in said.items()
    }
