"""Coverage of published data in results of verbs: how many of its files a run, lock or expectation had."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.manifest.datasets import count_text
from harness.verbs.project import Result


class DataCoverage(Result):
    """Coverage of a dataset: how many files it has, how many were here, and which were not to be had."""

    files: int
    here: int
    absent: list[str]

    def text(self) -> str:
        """Word the coverage: `39 of 40 files (missing: b.npz)`."""
        return count_text(self.files, self.absent)


def data_coverage(said: Mapping[str, Mapping[str, Any]]) -> dict[str, DataCoverage]:
    """Make the coverage of each dataset from what a lock or a record says."""
    return {
        name: DataCoverage(files=one["files"], here=one["files"] - len(one["absent"]), absent=list(one["absent"]))
        for name, one in said.items()
    }
