"""The environment document: Python, platform, and packages a step could import; its digest is in every key.

The document of an image is made here, by a step inside the image, from RECORD files that it does not check. That of
this machine is made by `checked.py`, which checks every file against its RECORD.
"""

from __future__ import annotations

import base64
import csv
import json
import operator
import os
import platform
import re
import stat
import sys
import sysconfig
from array import array
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from harness.digest import encode_document, sha256, sha256_file
from harness.errors import HarnessError
from harness.files import write_atomic
from harness.run.installed.bytecode import digest_list_path, read_list

CACHE_TYPE = "seen/1"
FACTS = ("st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")
TICK = 50_000_000  # ns; a file written so shortly before it was read may be written again unnoticed
MANY = 4096  # files that are worth a second process
LARGE = 1 << 20  # bytes; files from this size on are hashed in parallel
NONE = bytes(32)
_facts = operator.attrgetter(*FACTS)
_WIDE = len(FACTS)


def file_facts(paths: Iterable[str]) -> array[int]:
    """Return inode, size, mtime and ctime of each file in one flat array, without reading any file."""
    return array("q", chain.from_iterable(map(_facts, map(os.stat, paths))))


def are_unchanged(paths: list[str], facts: array[int]) -> bool:
    """Whether all files have the inode, size and times that were noted; many are split between two processes."""
    half = len(paths) // 2
    if half < MANY or len(os.sched_getaffinity(0)) == 1 or len(os.listdir("/proc/self/task")) > 1:
        return _same(paths, facts)
    child = os.fork()
    if not child:
        same = False
        try:
            same = _same(paths[:half], facts[: _WIDE * half])
        finally:
            os._exit(not same)
    mine = _same(paths[half:], facts[_WIDE * half :])
    return os.waitpid(child, 0)[1] == 0 and mine


def _same(paths: list[str], facts: array[int]) -> bool:
    try:
        return file_facts(paths) == facts
    except (OSError, OverflowError):
        return False


class PackageEntry(TypedDict):
    """A package in an environment document: its version, its RECORD's digest, and its files that differ from it."""

    version: str
    record: str
    altered: NotRequired[list[str]]  # a path, and the digest that the file had or what is wrong with it


class InstalledFiles(TypedDict):
    """The result of checking what a step can import: packages, other modules, and files that were altered."""

    packages: dict[str, PackageEntry]
    loose: dict[str, str]  # digests of importable files in no RECORD
    stdlib: str
    altered: list[tuple[str, str]]  # a path, and what is wrong with it
    files: int  # number of files that were compared


class DigestCache:
    """The cache of an earlier check of installed files: the check's result, and each file's facts and digest."""

    def __init__(self, about: Mapping[str, object]) -> None:
        self.about = dict(about)
        self.told: InstalledFiles | None = None
        self._paths: list[str] = []
        self._facts: array[int] = array("q")
        self._digests = b""

    @classmethod
    def read(cls, path: Path, about: Mapping[str, object]) -> DigestCache:
        """Read the cache file; the cache is empty if the file is missing, broken or of another installation."""
        seen = cls(about)
        try:
            data = path.read_bytes()
            end = data.index(b"\n")
            head = json.loads(data[:end])
            names, count = data[end + 1 : end + 1 + head["names"]], head["count"]
            if head["type"] != CACHE_TYPE or head["about"] != seen.about:
                return seen
            facts = array("q", data[end + 1 + len(names) :][: 8 * _WIDE * count])
            digests = data[end + 1 + len(names) + 8 * _WIDE * count :]
            paths = os.fsdecode(names).split("\0")
            if (len(paths), len(facts), len(digests)) == (count, _WIDE * count, 32 * count):
                seen.told, seen._paths, seen._facts, seen._digests = head["told"], paths, facts, digests
        except (OSError, ValueError, LookupError, TypeError):
            pass  # there is no cache file, or it is broken
        return seen

    def fresh(self) -> bool:
        """Whether there is a cached result, and no recorded file or folder has changed since."""
        return bool(self._paths) and are_unchanged(self._paths, self._facts)

    def known(self) -> dict[str, tuple[tuple[int, ...], str]]:
        """Return, for each file in the cache, its inode, size and times as noted, and its digest."""
        found = {}
        for at, path in enumerate(self._paths):
            digest = self._digests[32 * at : 32 * at + 32]
            if digest != NONE:
                found[path] = (tuple(self._facts[_WIDE * at : _WIDE * at + _WIDE]), digest.hex())
        return found

    def write(self, path: Path, hashed: FileDigests, folders: list[str], told: InstalledFiles) -> None:
        """Write the cache file; if it cannot be written, the next check only takes longer."""
        paths = [*folders, *hashed.digests]
        facts = array("q", chain.from_iterable(hashed.facts[one] for one in paths))
        digests = b"".join(bytes.fromhex(hashed.digests.get(one, "")) or NONE for one in paths)
        names = os.fsencode("\0".join(paths))
        head = {"type": CACHE_TYPE, "about": self.about, "told": told, "names": len(names), "count": len(paths)}
        try:
            write_atomic(path, json.dumps(head).encode() + b"\n" + names + facts.tobytes() + digests)
        except HarnessError:
            return


class FileDigests:
    """The digests of files: from the cache where inode, size and times are unchanged, else by reading the file."""

    def __init__(self, known: Mapping[str, tuple[tuple[int, ...], str]], now: int) -> None:
        self.facts: dict[str, tuple[int, ...]] = {}
        self.digests: dict[str, str] = {}  # "" if there is no plain file that can be read
        self.bytes = 0  # that were read
        self._known, self._now = known, now

    def look(self, path: str) -> None:
        """Note inode, size and times of a folder, so that the next check notices a file that was added."""
        self.facts[path] = self._dated(_facts(os.stat(path)))

    def take(self, paths: Iterable[str]) -> None:
        """Add the digests of many files, from the cache or by reading; "" for a file that cannot be read."""
        large = []
        for path in paths:
            size = self._begin(path)
            if size >= LARGE:
                large.append(path)
            elif size >= 0:
                self._put(path, *_small(path))
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            for path, found in zip(large, pool.map(_large, large), strict=True):
                self._put(path, *found)

    def _put(self, path: str, digest: str, size: int) -> None:
        self.digests[path] = digest
        self.bytes += size

    def _begin(self, path: str) -> int:
        """Return the size of a file that must be read, or a number below 0 if nothing must be read."""
        if path in self.digests:
            return -1
        self.digests[path], self.facts[path] = "", (0,) * _WIDE
        try:
            found = os.stat(path)
        except OSError:
            return -1
        facts = _facts(found)
        before, digest = self._known.get(path, ((), ""))
        self.facts[path] = self._dated(facts)
        if before == facts:
            self.digests[path] = digest
            return -1
        return int(found.st_size) if stat.S_ISREG(found.st_mode) else -1

    def _dated(self, facts: tuple[int, ...]) -> tuple[int, ...]:
        """Return the facts to compare later: zeros for a file that was written a moment ago, to have it read again."""
        return facts if max(facts[2:]) < self._now - TICK else (0,) * _WIDE


def _small(path: str) -> tuple[str, int]:
    try:
        with open(path, "rb", buffering=0) as file:
            data = file.read()
        return sha256(data), len(data)
    except OSError:
        return "", 0  # a file that cannot be read counts as missing


def _large(path: str) -> tuple[str, int]:
    try:
        return sha256_file(Path(path))
    except OSError:
        return "", 0


OURS = "llm_harness"  # the harness itself is in the code closure
CACHED = "__pycache__"  # bytecode beside its source, which no step reads
MODULES = (".py", ".pyc", ".so")  # endings of the files that Python imports


def observe(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the environment document of the image that this step runs in, as the step's output `environment`."""
    (out / "environment").write_bytes(build_environment(Path(sys.path[-1]), params["image"]))


@dataclass(frozen=True)
class InstalledPackage:
    """One installed package: its dist-info folder, name, version, and the lines of its RECORD."""

    info: str
    name: str
    version: str
    lines: list[bytes]

    @property
    def tops(self) -> set[bytes]:
        """The names of the top-level modules and folders that the package installed."""
        return {top.partition(b",")[0] for top in {line.partition(b"/")[0] for line in self.lines}}


def installed_packages(site: Path) -> Iterator[InstalledPackage]:
    """Yield every installed package that has a RECORD."""
    for info in sorted(site.glob("*.dist-info")):
        record = info / "RECORD"
        if record.is_file():
            name, _, version = info.name.removesuffix(".dist-info").partition("-")
            yield InstalledPackage(info.name, name.lower(), version, record.read_bytes().splitlines())


def build_environment(site: Path, image: str = "none") -> bytes:
    """Build the environment document of a folder of packages, from their RECORD files."""
    found = list(installed_packages(site))
    claimed = {top for package in found for top in package.tops}
    loose = {path.name: loose_digest(path) for path in sorted(site.iterdir()) if is_loose(path, claimed)}
    return spell_environment({one.name: package_entry(one) for one in found if one.name != OURS}, loose, image)


def spell_environment(
    packages: Mapping[str, PackageEntry], loose: Mapping[str, str], image: str, stdlib: str = ""
) -> bytes:
    """Serialise an environment document; that of an image names no standard library, since its ID covers it."""
    fields = {
        "type": "environment/2",
        "image": image,
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "platform": sysconfig.get_platform(),
        "packages": dict(packages),
        "loose": dict(loose),
    }
    return encode_document({**fields, "stdlib": stdlib} if stdlib else fields)


def package_entry(package: InstalledPackage) -> PackageEntry:
    """Return the entry of an unaltered package in an environment document: its version and its RECORD's digest."""
    return {"version": package.version, "record": record_digest(package.lines)}


def normal_name(name: str) -> str:
    """Return a package name in lower case with single hyphens, since lock files and folders spell it differently."""
    return re.sub(r"[-_.]+", "-", name).lower()


def is_loose(path: Path, claimed: set[bytes]) -> bool:
    """Whether a file or folder beside the packages can be imported though no package installed it."""
    importable = path.name.endswith(MODULES) or (path.is_dir() and path.suffix != ".dist-info")
    return importable and path.name != CACHED and os.fsencode(path.name) not in claimed


def loose_digest(path: Path) -> str:
    """Return one digest of a module, or of all files of a folder, that no package installed."""
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


# Files that Python never reads when it imports, and packages' own tests: only a full check reads these.
TESTS = "/tests/"
UNREAD = (".h", ".hpp", ".hxx", ".cuh", ".cu", ".c", ".cpp", ".pyi", ".pyx", ".pxd", ".md", ".rst", ".cmake")
APART = (CACHED, "site-packages", "dist-packages")  # folders in a standard library that are not part of it


class Inventory:
    """Reader of importable files: takes digests through a cache, and lists what is not as it was installed."""

    def __init__(self, hashed: FileDigests) -> None:
        self.hashed = hashed
        self.folders: list[str] = []
        self.altered: list[tuple[str, str]] = []  # a path, and what is wrong with it
        self.files = 0  # number of files that were compared
        self._full_only: list[str] = []

    def packages(self, site: Path, *, full: bool) -> tuple[dict[str, PackageEntry], dict[str, str]]:
        """Check every package against its RECORD; return the packages, and digests of importable files in no RECORD.

        Unless `full`, files that Python never imports, and packages' tests, are skipped.
        """
        found = list(installed_packages(site))
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
        self.hashed.take([str(digest_list_path(folder)), *(f"{folder}/{path}" for path in lying)])
        for path in lying:
            self.files += 1
            if self.hashed.digests[f"{folder}/{path}"] != known.get(path):
                why = "changed" if path in known else "not listed"
                self.altered.append((f"{folder.name}/{path}", f"bytecode {why}"))
        self.altered += [(f"{folder.name}/{path}", "leads elsewhere") for path in links]

    def worth_seeing(self) -> FileDigests:
        """Return the digests to keep in the cache: those of files that Python may read when it imports."""
        for path in self._full_only:
            self.hashed.digests.pop(path, None)
        return self.hashed

    def _walk(self, root: str, apart: tuple[str, ...]) -> tuple[list[str], list[str]]:
        """List every file below a folder and, separately, the links that lead to another folder."""
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

    def _held(self, package: InstalledPackage, files: Mapping[str, str], site: Path) -> PackageEntry:
        """Return a package's entry in an environment document; files that differ are listed with what was found."""
        told, wrong = package_entry(package), []
        for path, digest in files.items():
            found = self.hashed.digests[f"{site}/{path}"]
            if found != digest:
                why = "changed" if found else "cannot be read" if os.path.lexists(site / path) else "missing"
                self.altered.append((path, why))
                wrong.append(f"{ascii_path(path)} {found or why}")
        self.files += len(files)
        if wrong:
            told["altered"] = sorted(wrong)
        return told

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
    """Yield each file that a RECORD lists below the packages, with the SHA-256 it should have."""
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
    """Return the files that no package claims, by top folder, and unlisted importable files in packages' folders."""
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
    """List the unclaimed files that have the name of a package's module, which Python may import instead."""
    stems = {os.fsdecode(top).partition(".")[0] for one in packages for top in one.tops}
    return [top for top in loose if top.partition(".")[0] in stems]
