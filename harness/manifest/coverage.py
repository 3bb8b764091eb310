"""Coverage of published data of many files: which files a lock has, and which were not to be had."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from harness.digest import differences

SHOWN = 8  # files that a line names


def files_of(pin: Mapping[str, Any]) -> Mapping[str, str]:
    """Digests that a lock pins of a dataset's published files, by path; empty for any dataset not of many files."""
    files: Mapping[str, str] = pin["files"] if is_files(pin) else {}
    return files


def is_files(pin: Mapping[str, Any]) -> bool:
    """Whether a dataset's pin is of many published files, and not of data that a maker made."""
    return "files" in pin and "items" not in pin


def file_coverage(datasets: Mapping[str, Any], *, partial: bool = False) -> dict[str, dict[str, Any]]:
    """Count the files and name the missing ones of each dataset of many files; `partial`: of incomplete ones only."""
    return {
        name: {"files": len(pin["files"]), "absent": list(pin.get("absent", ()))}
        for name, pin in sorted(datasets.items())
        if is_files(pin) and (pin.get("absent") or not partial)
    }


def coverage_text(said: Mapping[str, Mapping[str, Any]]) -> str:
    """Word a coverage: `published 39 of 40 files (missing: b.npz)`."""
    return ", ".join(f"{name} {count_text(one['files'], one['absent'])}" for name, one in said.items())


def count_text(files: int, absent: Collection[str]) -> str:
    """Word a count of files, with the names of those that are missing."""
    lacks = f" (missing: {names_text(absent)})" if absent else ""
    return f"{files - len(absent)} of {files} files{lacks}"


def names_text(names: Collection[str]) -> str:
    """Word a list of file names, the first eight and how many more."""
    first = sorted(names)[:SHOWN]
    return ", ".join(first) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def contradicted_files(said: Mapping[str, Any], datasets: Mapping[str, Any]) -> Iterator[str]:
    """JSON Pointers at which a lock's pins of published files differ from its manifest."""
    for name, pin in sorted(datasets.items()):
        wanted = intended_files(said.get(name))
        if wanted or is_files(pin):
            yield from (f"/{name}/files{pointer}" for pointer in differences(wanted, pin.get("files", {})))


def intended_files(said: Any) -> dict[str, Any]:
    """Digests that an intent states for the files of a dataset; anything malformed is ignored."""
    fetched = said.get("fetch") if isinstance(said, Mapping) else None
    files = fetched.items() if isinstance(fetched, Mapping) else ()
    return {path: file.get("sha256") for path, file in files if isinstance(file, Mapping)}
