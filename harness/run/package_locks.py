"""Package locks: the versions that the lock files pin, and the RECORD digest of each locked wheel.

A RECORD can be edited together with the file it names; `lockfiles/records.json` holds what it was in the locked wheel.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.digest import document, parse
from harness.errors import InputError
from harness.run.packages import OURS, normal_name, record_digest

RECORDS = "records.json"
TYPE = "records/1"
# pip comes with Python, in the version that it brings; the harness's own code stands in the keys of its steps.
UNPINNED = {"pip", normal_name(OURS)}
_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", re.MULTILINE)


@dataclass(frozen=True)
class PackageLocks:
    """The locked versions of each package, and the RECORD digests of their wheels."""

    versions: Mapping[str, set[str]]
    records: Mapping[str, Mapping[str, list[str]]]

    def flaw(self, name: str, version: str, record: str) -> tuple[str, str]:
        """Return how an installed package differs from its lock, as kind and reason; both "" where it does not.

        Kinds are `unlocked`, `version` and `file` (its RECORD is not that of the locked wheel).
        """
        name = normal_name(name)
        if not self.versions or name in UNPINNED:
            return "", ""
        if name not in self.versions:
            return "unlocked", f"version {version} is installed, and no lock pins it"
        if version not in self.versions[name]:
            pinned = " or ".join(sorted(self.versions[name]))
            return "version", f"version {version} is installed, and the lock pins {pinned}"
        known = self.records.get(name, {}).get(version)
        return ("file", "not what the locked wheel brings") if known and record not in known else ("", "")


def read_locks(folder: Path) -> PackageLocks:
    """Read the lock files and `records.json` of a folder; without lock files no package counts as wrong."""
    versions: dict[str, set[str]] = {}
    for path in [folder / "requirements.txt", *sorted(folder.glob("image-*.txt"))]:
        if path.is_file():
            for name, version in _PIN.findall(path.read_text(encoding="utf-8")):
                versions.setdefault(normal_name(name), set()).add(version)
    return PackageLocks(versions, read_records(folder / RECORDS))


def read_records(path: Path) -> dict[str, dict[str, list[str]]]:
    """Read `records.json`: by package and version, the RECORD digests of locked wheels; empty if there is no file."""
    if not path.is_file():
        return {}
    packages = parse(path.read_bytes(), TYPE, path.name)["packages"]
    if not isinstance(packages, dict) or not all(isinstance(one, dict) for one in packages.values()):
        raise InputError(
            "the table of locked wheels is not what it should be", where=str(path), next="`make relock` makes it"
        )
    return packages


def spell_records(packages: Mapping[str, Mapping[str, list[str]]]) -> bytes:
    """Serialise the RECORD digests of locked wheels, by package and version, to the bytes of `records.json`."""
    return document({"type": TYPE, "packages": {name: dict(one) for name, one in packages.items()}}) + b"\n"


def wheel_record_digest(record: bytes) -> str:
    """Return the digest of a wheel's RECORD, with its paths as installed: that of an intact installed RECORD."""
    lines = []
    for line in record.splitlines():
        data = re.match(rb'("?)[^/,]+\.data/(purelib|platlib)/', line)
        if data or not re.match(rb'"?[^/,]+\.data/', line):  # what else a wheel brings lies outside the packages
            lines.append(data[1] + line[data.end() :] if data else line)
    return record_digest(lines)


def merge_records(tables: list[dict[str, Any]]) -> dict[str, dict[str, list[str]]]:
    """Merge mappings of locked wheels (package, version, RECORD digests); a version may have several digests."""
    found: dict[str, dict[str, list[str]]] = {}
    for table in tables:
        for name, versions in table.items():
            for version, digests in versions.items():
                known = found.setdefault(name, {}).setdefault(version, [])
                known[:] = sorted({*known, *digests})
    return found
