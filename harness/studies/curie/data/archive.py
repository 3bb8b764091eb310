"""The maker of one task from the official archive.

Only a Git LFS pointer to the archive was available when this was written. What the archive holds beyond the published
layout is UNVERIFIED.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.digest import sha256_file
from harness.studies.curie.data.archive_reading import opened
from harness.studies.curie.data.making import write_published

BYTES, SHA256 = 137_211_000, "ab634136a5466412f13fbe6c86a6bc283ba1e760a49e07d24356407c844c9c01"


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write a task's items, gold and counts from the authors' archive, with its images and prompts if there are any.

    The counts say whether the file is the official archive. Raises InputError if the archive or a record is not sound,
    or if a prompt is not the published one.
    """
    official = sha256_file(inputs["archive"]) == (SHA256, BYTES)
    with opened(inputs["archive"]) as files:
        write_published(params, inputs, out, files, {"source": "archive", "official": official})
