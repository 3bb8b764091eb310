"""The environment document: Python, platform, and packages a step could import; its digest is in every key.

That of an image is made here, by a step inside the image, from RECORD files that it does not check. That of
this machine is made by `installed.py`, which checks every file against its RECORD.
"""

from __future__ import annotations

import os
import platform
import re
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.digest import document, sha256, sha256_file

OURS = "llm_harness"  # the harness itself stands in the code closure
CACHED = "__pycache__"  # bytecode beside its source, which no step reads
MODULES = (".py", ".pyc", ".so")  # what Python imports, with whatever stands before these in a name


def observe(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the environment document of the image that this step runs in, as the step's output `environment`."""
    (out / "environment").write_bytes(environment(Path(sys.path[-1]), params["image"]))


@dataclass(frozen=True)
class InstalledPackage:
    """One installed package: its dist-info folder, name, version, and the lines of its RECORD."""

    info: str
    name: str
    version: str
    lines: list[bytes]

    @property
    def tops(self) -> set[bytes]:
        """The top-level modules and folders that the package installed."""
        return {top.partition(b",")[0] for top in {line.partition(b"/")[0] for line in self.lines}}


def installed(site: Path) -> Iterator[InstalledPackage]:
    """List every installed package that has a RECORD."""
    for info in sorted(site.glob("*.dist-info")):
        record = info / "RECORD"
        if record.is_file():
            name, _, version = info.name.removesuffix(".dist-info").partition("-")
            yield InstalledPackage(info.name, name.lower(), version, record.read_bytes().splitlines())


def environment(site: Path, image: str = "none") -> bytes:
    """Build the environment document of a folder of packages, from their RECORD files."""
    found = list(installed(site))
    claimed = {top for package in found for top in package.tops}
    loose = {path.name: loose_digest(path) for path in sorted(site.iterdir()) if is_loose(path, claimed)}
    return spell({one.name: package_entry(one) for one in found if one.name != OURS}, loose, image)


def spell(packages: Mapping[str, Any], loose: Mapping[str, str], image: str, stdlib: str = "") -> bytes:
    """Serialise an environment document; that of an image names no standard library, since its ID covers it."""
    fields: dict[str, Any] = {
        "type": "environment/2",
        "image": image,
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "platform": sysconfig.get_platform(),
        "packages": dict(packages),
        "loose": dict(loose),
    }
    return document({**fields, "stdlib": stdlib} if stdlib else fields)


def package_entry(package: InstalledPackage) -> dict[str, Any]:
    """Return the entry of an unaltered package in an environment document: its version and its RECORD's digest."""
    return {"version": package.version, "record": record_digest(package.lines)}


def normal_name(name: str) -> str:
    """Return a package name in lower case with single hyphens, since lock files and folders spell it differently."""
    return re.sub(r"[-_.]+", "-", name).lower()


def is_loose(path: Path, claimed: set[bytes]) -> bool:
    """Whether a path could be imported and belongs to no installed package."""
    importable = path.name.endswith(MODULES) or (path.is_dir() and path.suffix != ".dist-info")
    return importable and path.name != CACHED and os.fsencode(path.name) not in claimed


def loose_digest(path: Path) -> str:
    """Return one digest of a module, or of all files in a folder, that belongs to no package."""
    inner = path.rglob("*") if path.is_dir() else [path]
    files = sorted(one for one in inner if one.is_file() and CACHED not in one.parts)
    return sha256("\n".join(f"{one.relative_to(path.parent)} {sha256_file(one)[0]}" for one in files).encode())


def record_digest(lines: list[bytes]) -> str:
    """Return the digest of a RECORD's lines without those that depend on where or by whom it was installed."""
    kept = [
        line
        for line in lines
        if b",sha256=" in line and not line.startswith((b"../", b'"../')) and b".dist-info/" not in line
    ]
    return sha256(b"\n".join(sorted(kept)))
