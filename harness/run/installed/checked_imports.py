"""Imports of a process that judges: each file of a package, and each bytecode file, is checked before it is loaded.

A package's file must be what its RECORD lists, the RECORD what the locked wheel brings, and bytecode what the list
says that setup made. A package without a RECORD, and one that no lock pins, is loaded as it lies; `harness doctor`
names it. It must import the standard library alone, and of the harness what does.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import cache_from_source
from pathlib import Path

from harness.clean_start import own_bytecode
from harness.digest import sha256_file
from harness.errors import MissingError
from harness.run.installed.bytecode import read_list
from harness.run.installed.checked import PackageLocks, read_locks
from harness.run.installed.packages import InstalledPackage, brought_files, installed, record_digest

LOCKS = Path(__file__).resolve().parents[2] / "lockfiles"


class CheckedFinder:
    """Finds what the interpreter would find, and lets nothing through that is not as it was installed."""

    def __init__(self, site: Path, locks: PackageLocks, bytecode: Path) -> None:
        self._site, self._locks, self._prefix = f"{site}/", locks, f"{bytecode}/"
        self._listed = read_list(bytecode) or {}
        self._packages = list(installed(site))
        self._files: dict[str, dict[str, str]] = {}  # by the top folder or module: the files that packages brought

    @classmethod
    def install(cls) -> None:
        """Put the packages of this interpreter on the path, and stand before every finder that could reach them."""
        site = os.path.realpath(sysconfig.get_path("purelib"))
        sys.path.append(site)
        sys.meta_path.insert(1, cls(Path(site), read_locks(LOCKS), Path(own_bytecode())))

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        """Find a module as `PathFinder` does; MissingError where it, or its bytecode, was altered."""
        found = PathFinder.find_spec(name, path)
        if found and found.origin and found.has_location:
            self._require(os.path.realpath(found.origin))
        return found

    def _require(self, origin: str) -> None:
        if origin.startswith(self._site) and not self._is_brought(origin.removeprefix(self._site)):
            raise _altered(origin)
        cached = cache_from_source(origin) if origin.endswith(".py") else ""
        if cached.startswith(self._prefix) and os.path.lexists(cached):
            listed = self._listed.get(cached.removeprefix(self._prefix))
            if os.path.islink(cached) or sha256_file(Path(cached))[0] != listed:
                raise _altered(cached)

    def _is_brought(self, path: str) -> bool:
        """Whether a file of the packages is what one of them brought; one that none claims is anybody's."""
        top = path.partition("/")[0]
        if top not in self._files:
            self._files[top] = self._brought(os.fsencode(top))
        files = self._files[top]
        return not files or sha256_file(Path(self._site + path))[0] == files.get(path)

    def _brought(self, top: bytes) -> dict[str, str]:
        found: dict[str, str] = {}
        for package in self._packages:
            if top in package.tops:
                self._hold(package)
                found |= dict(brought_files(package))
        return found

    def _hold(self, package: InstalledPackage) -> None:
        kind, why = self._locks.flaw(package.name, package.version, record_digest(package.lines))
        if kind == "file":
            raise MissingError(f"{package.info}/RECORD is {why}", where=self._site, next=AGAIN)


def _altered(path: str) -> MissingError:
    return MissingError("an installed file is not as it was installed", where=path, next=AGAIN)


AGAIN = "install the packages anew (in a checkout: `rm -f .venv/ready && make setup`): nothing is judged with this one"
