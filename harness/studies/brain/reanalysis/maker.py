"""The maker of `brain.published`: reads any number of published result files, by their kinds, into one table.

Files of unknown kinds are listed and left out; absent files are listed too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.kit.file_set import file_set
from harness.studies.brain.reanalysis import archives, contradictions, naming, tables
from harness.studies.brain.reanalysis.unnamed import LARGEST
from harness.studies.brain.reanalysis.values import ADVICE

FILES = "files"  # the parameter that names the published files
OUTPUTS = ("published", "counts")


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `published`, one row per published result file that was read, and `counts`, which lists the other files.

    Raises InputError, with file, line and column, if a file of a known kind has wrong columns or values, or if two
    files contradict each other.
    """
    given = file_set(params, inputs, FILES)
    found, unknown = [], []
    for name in sorted(given):
        read = read_file(given[name], name)
        if read is None:
            unknown.append(name)
        else:
            found.append(read)
    if not found:
        raise InputError(
            "none of the published files is of a known kind", where=FILES, next="see docs/brain.md for the kinds"
        )
    contradictions.refuse(found)
    rows.write(out / "published", found)
    kinds: dict[str, int] = {}
    for row in found:
        kinds[row["kind"]] = kinds.get(row["kind"], 0) + 1
    counts = {"files": len(found), "kinds": kinds, "unknown": unknown, "absent": sorted(given.absent)}
    rows.write_one(out / "counts", counts)


def read_file(path: Path, name: str) -> dict[str, Any] | None:
    """Return a published file's kind and rows and what its name says; None if the name is of no known kind.

    Raises InputError for wrong columns or values.
    """
    told = naming.read_name(name)
    if told is None:
        return None
    if path.stat().st_size > LARGEST:
        raise InputError(f"the file has more than {LARGEST >> 20} MiB", where=name, next=ADVICE)
    reader = archives.read if name.endswith(".npz") else tables.read
    said = {key: value for key, value in asdict(told).items() if key != "kind"}
    return {"path": name, **said, **reader(path, name, told)}
