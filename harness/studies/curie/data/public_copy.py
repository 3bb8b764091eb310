"""The maker of one task from a public copy of the published records, fetched file by file.

The copy has the layout of the archive, below some folder (`data/` in iammpy/curie at commit db53d1187c74, which has the
domains dft and mpve). UNVERIFIED: that its records equal those of the archive.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit.file_set import file_set
from harness.studies.curie.data.making import opened_folder, write_published

COPY = "copy"


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write a task's items, gold and counts from the public copy of the data, and prompts if given; absent files count.

    Raises InputError if a record is not sound, or if a prompt is not the published one.
    """
    files = opened_folder(file_set(params, inputs, COPY))
    write_published(params, inputs, out, files, {"source": "public copy", "official": False})
