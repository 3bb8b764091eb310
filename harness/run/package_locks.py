"""What is locked of the packages here: the versions that the locks pin, and what each locked wheel brings.

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
from harness.run.packages import OURS, normal, record_digest

RECORDS = "records.json"
TYPE = "records/1"
# pip comes with Python, in the version that it brings; the harness's own code stands in the keys of its steps.
UNPINNED = {"pip", normal(OURS)}
_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", re.MULTILINE)


@dataclass(frozen=True)
class PackageLocks:
    """The locks of a project: package → versions, and package → version → the digests of its locked wheels' RECORDs."""

    versions: Mapping[str, set[str]]
    records: Mapping[str, Mapping[str, list[str]]]

    def flaw(self, name: str, version: str, record: str) -> tuple[str, str]:
        """Say what of an installed package is not as it is locked: its kind, and the words; nothing where it is."""
        name = normal(name)
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
    """Read the locks of a folder; where there are none, nothing is pinned."""
    versions: dict[str, set[str]] = {}
    for path in [folder / "requirements.txt", *sorted(folder.glob("image-*.txt"))]:
        if path.is_file():
            for name, version in _PIN.findall(path.read_text(encoding="utf-8")):
                versions.setdefault(normal(name), set()).add(version)
    return PackageLocks(versions, read_records(folder / RECORDS))


def read_records(path: Path) -> dict[str, dict[str, list[str]]]:
    """Read the table of locked wheels, if there is one."""
    if not path.is_file():
        return {}
    packages = parse(path.read_bytes(), TYPE, path.name)["packages"]
    if not isinstance(packages, dict) or not all(isinstance(one, dict) for one in packages.values()):
        raise InputError(
            "the table of locked wheels is not what it should be", where=str(path), next="`make relock` makes it"
        )
    return packages


def spell_records(packages: Mapping[str, Mapping[str, list[str]]]) -> bytes:
    """Spell the table of locked wheels."""
    return document({"type": TYPE, "packages": {name: dict(one) for name, one in packages.items()}}) + b"\n"


def of_wheel(record: bytes) -> str:
    """Digest the RECORD of a wheel as the RECORD of what it installs is digested."""
    lines = []
    for line in record.splitlines():
        data = re.match(rb'("?)[^/,]+\.data/(purelib|platlib)/', line)
        if data or not re.match(rb'"?[^/,]+\.data/', line):  # what else a wheel brings lies outside the packages
            lines.append(data[1] + line[data.end() :] if data else line)
    return record_digest(lines)


def merged(tables: list[dict[str, Any]]) -> dict[str, dict[str, list[str]]]:
    """Put tables together: a version that was built for several Pythons has several digests."""
    found: dict[str, dict[str, list[str]]] = {}
    for table in tables:
        for name, versions in table.items():
            for version, digests in versions.items():
                known = found.setdefault(name, {}).setdefault(version, [])
                known[:] = sorted({*known, *digests})
    return found
