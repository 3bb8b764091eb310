"""The environment document: Python, platform, and packages a step could import; its digest is in every key.

That of an image is made here, by a step inside the image, from RECORD files that it does not check. That of
this machine is made by `installed.py`, which checks every file against its RECORD.
"""

from __future__ import annotations

import base64
import csv
import os
import platform
import re
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.digest import document, sha256, sha256_file
from harness.run.installed.bytecode import list_path, read_list
from harness.run.installed.digest_cache import FileDigests

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


# What Python never reads when it imports, and packages' own tests: a start does not look at these, a full check does.
TESTS = "/tests/"
UNREAD = (".h", ".hpp", ".hxx", ".cuh", ".cu", ".c", ".cpp", ".pyi", ".pyx", ".pxd", ".md", ".rst", ".cmake")
APART = (CACHED, "site-packages", "dist-packages")  # in a standard library: somebody else's


class Inventory:
    """The reader of importable files: digests by way of a cache, and a list of what is not as it was installed."""

    def __init__(self, hashed: FileDigests) -> None:
        self.hashed = hashed
        self.folders: list[str] = []
        self.altered: list[tuple[str, str]] = []  # a path, and what is wrong with it
        self.files = 0  # held against what they should be
        self._full_only: list[str] = []

    def packages(self, site: Path, *, full: bool) -> tuple[dict[str, Any], dict[str, str]]:
        """Check every package against its RECORD; return the packages, and digests of importable files in no RECORD.

        Unless `full`, files that Python never imports, and packages' tests, are passed over.
        """
        found = list(installed(site))
        brought = {one.info: dict(brought_files(one)) for one in found}
        known = {path for files in brought.values() for path in files}
        lying, links = self._walk(str(site), (CACHED,))
        loose, strange = _others(lying, known, {os.fsdecode(top) for one in found for top in one.tops})
        passed = {path for path in (*known, *strange) if path.endswith(UNREAD) or TESTS in path}
        self._full_only = [f"{site}/{path}" for path in passed]
        if not full:
            known, strange = known - passed, [path for path in strange if path not in passed]
            brought = {info: {path: files[path] for path in files if path in known} for info, files in brought.items()}
        extra = [path for paths in loose.values() for path in paths]
        records = [f"{one.info}/RECORD" for one in found]
        self.hashed.take(f"{site}/{path}" for path in (*known, *strange, *extra, *records))
        packages = {one.name: self._held(one, brought[one.info], site) for one in found}
        packages.pop(OURS, None)
        self.altered += [(path, "not listed") for path in strange] + [(path, "leads elsewhere") for path in links]
        self.altered += [(top, "not listed, and stands in for a package") for top in _shadows(loose, found)]
        digests = {top: self._spelled(str(site), paths) for top, paths in loose.items()}
        return packages, {ascii_path(path): one for path, one in (*digests.items(), *self._lone(site, strange))}

    def library(self, stdlib: Path, machine: Iterable[Path]) -> str:
        """Return one digest of the importable files of the standard library and the interpreter's own files."""
        lying, links = self._walk(str(stdlib), APART)
        files = [path for path in lying if path.endswith(MODULES)]
        parts = [str(path) for path in machine]
        self.hashed.take((*(f"{stdlib}/{path}" for path in files), *parts))
        lines = [f"{Path(path).name} {self.hashed.digests[path]}" for path in parts]
        lines += [f"{path} -> {os.readlink(f'{stdlib}/{path}')}" for path in sorted(links)]
        return sha256("\n".join([*lines, self._spelled(str(stdlib), files)]).encode())

    def bytecode(self, folder: Path) -> None:
        """Check the bytecode made at setup against its digest list; note changed or unlisted files as altered.

        Without a list there is nothing to check, since no step reads the folder then.
        """
        known = read_list(folder)
        if known is None:
            return  # no step reads from there
        lying, links = self._walk(str(folder), ())
        self.hashed.take([str(list_path(folder)), *(f"{folder}/{path}" for path in lying)])
        for path in lying:
            self.files += 1
            if self.hashed.digests[f"{folder}/{path}"] != known.get(path):
                why = "changed" if path in known else "not listed"
                self.altered.append((f"{folder.name}/{path}", f"bytecode {why}"))
        self.altered += [(f"{folder.name}/{path}", "leads elsewhere") for path in links]

    def worth_seeing(self) -> FileDigests:
        """Return the digests that the next start needs: files that Python never reads are left out."""
        for path in self._full_only:
            self.hashed.digests.pop(path, None)
        return self.hashed

    def _walk(self, root: str, apart: tuple[str, ...]) -> tuple[list[str], list[str]]:
        """List every file below a folder, and apart from these the links that lead into another one."""
        files, links, waiting = list[str](), list[str](), [root]
        while waiting:
            folder = waiting.pop()
            self.hashed.look(folder)
            self.folders.append(folder)
            with os.scandir(folder) as entries:
                for one in entries:
                    if one.is_dir(follow_symlinks=False):
                        if one.name not in apart:
                            waiting.append(one.path)
                    elif one.is_symlink() and one.is_dir():
                        links.append(one.path[len(root) + 1 :])
                    else:
                        files.append(one.path[len(root) + 1 :])
        return files, links

    def _held(self, package: InstalledPackage, files: Mapping[str, str], site: Path) -> dict[str, Any]:
        """Give a package as an environment describes it: with what was really there, where that is something else."""
        told, wrong = package_entry(package), []
        for path, digest in files.items():
            found = self.hashed.digests[f"{site}/{path}"]
            if found != digest:
                why = "changed" if found else "cannot be read" if os.path.lexists(site / path) else "missing"
                self.altered.append((path, why))
                wrong.append(f"{ascii_path(path)} {found or why}")
        self.files += len(files)
        return {**told, "altered": sorted(wrong)} if wrong else told

    def _spelled(self, root: str, paths: Iterable[str]) -> str:
        lines = (f"{ascii_path(path)} {self.hashed.digests[f'{root}/{path}']}" for path in sorted(paths))
        return sha256("\n".join(lines).encode())

    def _lone(self, site: Path, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        for path in paths:
            yield path, self._spelled(str(site), [path])


def ascii_path(path: str) -> str:
    """Escape a path to ASCII, as documents with a digest need it."""
    return path.encode("ascii", "backslashreplace").decode()


def brought_files(package: InstalledPackage) -> Iterator[tuple[str, str]]:
    """Give each file that a RECORD lists below the packages, with the SHA-256 it should have."""
    for line in package.lines:
        if b'"' in line:
            path, given = next(csv.reader([os.fsdecode(line)]))[:2]
        else:
            path, _, rest = os.fsdecode(line).partition(",")
            given = rest.partition(",")[0]
        method, _, digest = given.partition("=")
        if method == "sha256" and not path.startswith("/") and ".." not in path.split("/"):
            yield path, base64.urlsafe_b64decode(digest + "=" * (-len(digest) % 4)).hex()


def _others(lying: list[str], known: set[str], claimed: set[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Give what no package claims, by its top, and what lies in a package's folder and could be imported."""
    loose: dict[str, list[str]] = {}
    strange = []
    for path in lying:
        if path not in known:
            top, inside, _ = path.partition("/")
            if top in claimed:
                strange += [path] if path.endswith(MODULES) else []
            elif (inside and not top.endswith(".dist-info")) or (not inside and path.endswith(MODULES)):
                loose.setdefault(top, []).append(path)
    return loose, strange


def _shadows(loose: Iterable[str], packages: Iterable[InstalledPackage]) -> list[str]:
    """Name what lies loose under the name of a package's module: Python may take it for that."""
    stems = {os.fsdecode(top).partition(".")[0] for one in packages for top in one.tops}
    return [top for top in loose if top.partition(".")[0] in stems]
