"""The maker of one task from the official archive, read where it lies.

Only a pointer to the archive could be had when this was written: what its files hold beyond the published layout is
unverified. It must never know how an answer is scored.
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
    """Write items, gold and counts of a task from the archive, images where it has any, and prompts where given.

    The counts say whether the bytes are those of the official archive. InputError for an archive or a record that is
    not sound, and for another prompt than the published one.
    """
    official = sha256_file(inputs["archive"]) == (SHA256, BYTES)
    with opened(inputs["archive"]) as files:
        write_published(params, inputs, out, files, {"source": "archive", "official": official})
