"""Digest cache of installed files, by inode, size and times, so that each start hashes only changed files.

A full check does not use it, and a cache file that cannot be read counts as empty.
"""

from __future__ import annotations

import json
import operator
import os
import stat
from array import array
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Any

from harness.digest import sha256, sha256_file
from harness.errors import HarnessError
from harness.files import write_atomic

CACHE_TYPE = "seen/1"
FACTS = ("st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")
TICK = 50_000_000  # ns; a file that was written so shortly before it was read may be written again unseen
MANY = 4096  # files that are worth a second process
LARGE = 1 << 20  # from here on several files are hashed at once
NONE = bytes(32)
_facts = operator.attrgetter(*FACTS)
_WIDE = len(FACTS)


def file_facts(paths: Iterable[str]) -> array[int]:
    """Return inode, size, mtime and ctime of each file in one flat array, without reading any file."""
    return array("q", chain.from_iterable(map(_facts, map(os.stat, paths))))


def unchanged(paths: list[str], facts: array[int]) -> bool:
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


class DigestCache:
    """The cache as an earlier check left it: that check's result, and facts and digest of each file it had read."""

    def __init__(self, about: Mapping[str, Any]) -> None:
        self.about = dict(about)
        self.told: dict[str, Any] = {}
        self._paths: list[str] = []
        self._facts: array[int] = array("q")
        self._digests = b""

    @classmethod
    def read(cls, path: Path, about: Mapping[str, Any]) -> DigestCache:
        """Read the cache file; one that is missing, broken or of another installation gives an empty cache."""
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
            pass  # there is none, or a kill left none that can be read
        return seen

    def fresh(self) -> bool:
        """Whether there is a cached result and no noted file or folder has changed since, so that it still holds."""
        return bool(self._paths) and unchanged(self._paths, self._facts)

    def known(self) -> dict[str, tuple[tuple[int, ...], str]]:
        """Return, by path, the cached file facts and the digest."""
        found = {}
        for at, path in enumerate(self._paths):
            digest = self._digests[32 * at : 32 * at + 32]
            if digest != NONE:
                found[path] = (tuple(self._facts[_WIDE * at : _WIDE * at + _WIDE]), digest.hex())
        return found

    def write(self, path: Path, hashed: FileDigests, folders: list[str], told: Mapping[str, Any]) -> None:
        """Write the cache file; where it cannot be written, the next check only takes longer."""
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
    """The digests of files: taken from `known` where inode, size and times are the same, else computed."""

    def __init__(self, known: Mapping[str, tuple[tuple[int, ...], str]], now: int) -> None:
        self.facts: dict[str, tuple[int, ...]] = {}
        self.digests: dict[str, str] = {}  # "" where there is no plain file that can be read
        self.bytes = 0  # that were read
        self._known, self._now = known, now

    def look(self, path: str) -> None:
        """Note the facts of a folder, so that an added file is noticed."""
        self.facts[path] = self._dated(_facts(os.stat(path)))

    def take(self, paths: Iterable[str]) -> None:
        """Add the digests of many files, cached or by reading, large ones in parallel; "" for an unreadable one."""
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
        """Give the size of a file that must be read; less than 0 where there is nothing to read."""
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
        """Give what will be believed later: nothing of a file that was written a moment ago."""
        return facts if max(facts[2:]) < self._now - TICK else (0,) * _WIDE


def _small(path: str) -> tuple[str, int]:
    try:
        with open(path, "rb", buffering=0) as file:
            data = file.read()
        return sha256(data), len(data)
    except OSError:
        return "", 0  # it cannot be read, and counts as no plain file


def _large(path: str) -> tuple[str, int]:
    try:
        return sha256_file(Path(path))
    except OSError:
        return "", 0
