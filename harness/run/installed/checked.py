"""Integrity check of installed packages: every file that a step can import, against what was installed and locked.

Each package lists its files in its RECORD; the locks list the packages and the digests of locked RECORDs. The check at
a start trusts cached digests of unchanged files (`packages.py`); a full check reads every byte. Nothing is repaired.

A file that is not as it was installed refuses a run, unless no step reads it. That is decided by the class of the file,
never by what steps happen to import, because a step could import any package. Two classes are not read (`is_unread`):

`INSTALLER` and `REQUESTED` of a package's dist-info folder are notes of the installer to itself. No program but an
installer reads them. All else in that folder refuses: `importlib.metadata` reads METADATA, RECORD, entry_points.txt.

`cacert.pem` of certifi, also where pip keeps a copy of certifi, is not read as long as it holds certificates and
nothing else. It decides which servers are trusted, and a step has no network to meet one. A file that is missing, a
link, or holds anything else refuses, because a library that loads it would fail. What such a file holds is in no key:
it is noted in a run's record and output.

Everything else refuses, data files of packages included, and the files that Python itself loads at its start: it runs
the lines of each `.pth` file that begin with `import`, and imports `sitecustomize` and `usercustomize`. Steps and
verdicts start without any of them; the process that plans a run does not. What a RECORD lists is checked as every other
file is. What none lists is refused, but for two files that makers of environments write: `_virtualenv.pth`, which is
one line, and the module that this line imports, whose known contents stand here by their digests.
"""

from __future__ import annotations

import binascii
import math
import os
import re
import resource
import shlex
import stat
import sys
import sysconfig
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

from harness.clean_start import BYTECODE, own_bytecode
from harness.digest import encode_document, parse_document, sha256, sha256_file
from harness.engines.engine import NO_IMAGE
from harness.errors import InputError, MissingError
from harness.files import translating_os_errors
from harness.run.closure import code_root
from harness.run.installed.bytecode import digest_list_path, read_list
from harness.run.installed.packages import (
    OURS,
    DigestCache,
    FileDigests,
    InstalledFiles,
    InstalledPackage,
    Inventory,
    PackageEntry,
    ascii_path,
    brought_files,
    installed_packages,
    normal_name,
    package_entry,
    record_digest,
    spell_environment,
)

CUSTOM = ("sitecustomize", "usercustomize")  # modules that Python imports at its start, where there are any
PATCH = "_virtualenv"  # the module with which virtualenv and uv patch installers, in each environment that they make
IMPORTS_PATCH = sha256(b"import _virtualenv")
KNOWN_PATCHES = frozenset({
    "6cf30c56faf2a55228914dbbd17f8088ed371ebb08f5e7fa6fd931f913fcaf1d",  # uv to 0.12; later ones write none
    "ce57d5e0d9b5d7356cb42da7450ba8f9359bdf693e335f4c921626943c77e64d",  # virtualenv 20.13.4
    "c9199315871b11b12df226f890a38e66e63191e1adbfb11a66e6861151b33fca",  # 20.16.3, and so on until the next
    "f4dfaeb9efc1614890cfa94ed15bbe9b2ee15fbe76d569ef5e435e93e4987dc7",  # 20.22.0
    "119e4eb9c1a39e6ffd220840844bd326fa1bd3acf2f1c9fa0612949aedc228a5",  # 20.23.1
    "0aeb86546345c1d0fada097536e35525714d5cdbcc2d8eb3f9912a955044fcff",  # 20.24.0
    "0f20351ea7e90039c46d3fabdef991f28b1e3ff33eb13ee6f0d5cd21ea0e8b14",  # 20.25.1
    "bec6155ff7bfc88f8e79e481f27fd7ee0a3b40eeca9bfeb41f4c4b997b2f8100",  # 20.35.4
    "02943e192823d75212f206e1f2991ac572119882683a95dfbb7a1b913d7b14b5",  # 20.38.0
    "e8c426ce260f866254ff35cefedc8b3efbd6d1446d99d7a4cdeb0095f98a8b8f",  # 21.1.0
    "460589e83387d4dfe5fd84d41c5f6979599f5cd080983d73c832549161c80435",  # 21.4.0
    "0278334cdcfab4c746b4416fbd5c2b6e7da937c81e132397d62c361d404ebe0e",  # 21.7.0
    "cfe56cafbd68fd31a0e87100f111d7d2f6b7157241096500013c07e88d80a22f",  # 21.15.11
})  # fmt: skip
CHANGES_IMPORTS = "not listed, and changes what Python imports"
LOADED = "not listed, and Python loads it at its start"
STRANGE = "not as virtualenv or uv write it, and Python loads it at its start"


def unlisted_path_files(site: Path) -> list[str]:
    """Return the names of `.pth` files that no RECORD lists with a digest, but for the one that environments have."""
    return [path.name for path in sorted(site.glob("*.pth")) if not _is_listed(path)]


def unlisted_modules(site: Path, loose: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the modules that Python loads at its start, of those that belong to no package, and what is wrong."""
    for name in loose:
        stem = name.partition(".")[0]
        if stem in CUSTOM:
            yield name, LOADED
        elif stem == PATCH and not (name == f"{PATCH}.py" and _is_known_patch(site / name)):
            yield name, STRANGE


def _is_listed(path: Path) -> bool:
    """Whether a `.pth` file is in a RECORD with its digest, or imports the known patch of an environment alone."""
    if path.name == f"{PATCH}.pth" and path.is_file() and sha256(path.read_bytes().strip()) == IMPORTS_PATCH:
        return not any(True for _ in unlisted_modules(path.parent, _patches(path.parent)))
    return any(
        path.name in dict(brought_files(one))
        for one in installed_packages(path.parent)
        if os.fsencode(path.name) in one.tops
    )


def _patches(site: Path) -> list[str]:
    return [path.name for path in sorted(site.glob(f"{PATCH}*")) if path.suffix != ".pth"]


def _is_known_patch(path: Path) -> bool:
    return path.is_file() and sha256(path.read_bytes()) in KNOWN_PATCHES


RECORDS = "records.json"
RECORDS_TYPE = "records/1"
OWN = "repro-harness"  # the distribution of the harness, whose code is in the keys of its steps
OWN_NAMES = {OWN, normal_name(OURS)}  # OURS is the name that it had
UNPINNED = {"pip", *OWN_NAMES}  # pip comes with Python, in a version of its own
_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", re.MULTILINE)


@dataclass(frozen=True)
class PackageLocks:
    """The locked versions of each package, and the RECORD digests of their wheels."""

    versions: Mapping[str, set[str]]
    records: Mapping[str, Mapping[str, list[str]]]

    def flaw(self, name: str, version: str, record: str) -> tuple[str, str]:
        """Return how an installed package differs from its lock, as kind and reason; both empty if it does not.

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
    packages = parse_document(path.read_bytes(), RECORDS_TYPE, path.name)["packages"]
    if not isinstance(packages, dict) or not all(isinstance(one, dict) for one in packages.values()):
        raise InputError(
            "the table of locked wheels is not what it should be", where=str(path), next="`make relock` makes it"
        )
    return packages


def spell_records(packages: Mapping[str, Mapping[str, list[str]]]) -> bytes:
    """Serialise the RECORD digests of locked wheels, by package and version, to the bytes of `records.json`."""
    return (
        encode_document({"type": RECORDS_TYPE, "packages": {name: dict(one) for name, one in packages.items()}}) + b"\n"
    )


def wheel_record_digest(record: bytes) -> str:
    """Return the digest of a wheel's RECORD, with its paths as installed: that of an intact installed RECORD."""
    lines = []
    for line in record.splitlines():
        data = re.match(rb'("?)[^/,]+\.data/(purelib|platlib)/', line)
        if data or not re.match(rb'"?[^/,]+\.data/', line):  # other files of a wheel are installed outside the packages
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


SHOWN = 6  # altered files that an error names
IN_CHECKOUT = (code_root() / "lockfiles" / "setup.sh").is_file()
COMPILE = (
    "`rm -f .venv/ready && make setup`"
    if IN_CHECKOUT
    else f"`{sys.executable} -m harness.run.installed.setup`, by whoever installed it"
)
AGAIN = (
    "`rm -f .venv/ready && make setup` installs the packages anew, every file held against its hash"
    if IN_CHECKOUT
    else "`pip install --force-reinstall --no-deps NAME==VERSION` for what is named"
)


@dataclass(frozen=True)
class ImportPaths:
    """The places from which a step can import, and the lock files and cache they are checked with."""

    site: Path  # the packages
    stdlib: Path
    machine: tuple[Path, ...]  # the interpreter itself, and what it is made of beside its library
    bytecode: Path  # our own; its list is beside it
    locks: Path
    seen: Path  # the cache

    def about(self) -> dict[str, str]:
        """Return what identifies this installation of packages, by which a cache file is known to be of it."""
        parts = [str(path) for path in (self.site, self.stdlib, *self.machine, self.bytecode) if path.exists()]
        return {
            "places": "\n".join(parts),
            "python": sys.version,
            "list": str(digest_list_path(self.bytecode).exists()),
        }


@dataclass(frozen=True)
class AlteredFile:
    """A file or package that is not as it was installed or locked."""

    path: str
    why: str
    kind: str = "file"  # file | unread (by any step) | version (the lock pins another) | unlocked (no lock pins any)


@dataclass(frozen=True)
class InstallCheck:
    """The result of one integrity check: altered files, the environment document, and the cost."""

    altered: tuple[AlteredFile, ...]
    environment: bytes  # the document
    files: int  # number of files that were compared
    bytes: int  # number of bytes that were read
    cpu: float
    wall: float
    mend: str = AGAIN  # the command that installs the altered files anew

    @property
    def files_altered(self) -> tuple[AlteredFile, ...]:
        """The altered files that a step could read; with any, no step may run."""
        return tuple(one for one in self.altered if one.kind == "file")

    @property
    def unread(self) -> tuple[AlteredFile, ...]:
        """The altered files that no step reads: they are noted, and a run goes on."""
        return tuple(one for one in self.altered if one.kind == "unread")


def import_paths() -> ImportPaths:
    """Return the import paths of the interpreter that runs the harness, which also runs local steps."""
    prefix = Path(os.path.realpath(sys.prefix))
    stdlib = Path(sysconfig.get_path("stdlib"))
    library = stdlib.parent
    digits = f"python{sys.version_info.major}{sys.version_info.minor}.zip"  # the first place on the path
    parts = (Path(os.path.realpath(sys.executable)), library / digits, *sorted(library.glob("libpython*.so*")))
    machine = tuple(path for path in parts if path.is_file())
    seen = prefix / "packages.seen"
    if not os.access(prefix, os.W_OK):
        cache = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))
        seen = cache / "repro-harness" / f"{sha256(os.fsencode(prefix))[:16]}.seen"
    site = Path(os.path.realpath(sysconfig.get_path("purelib")))
    return ImportPaths(site, stdlib, machine, prefix / BYTECODE, code_root() / "lockfiles", seen)


def is_importable(module: str) -> bool:
    """Whether a local step could import a module by its name; nothing is imported for it."""
    return PathFinder.find_spec(module, [str(import_paths().site)]) is not None


def check_installed(place: ImportPaths, *, full: bool) -> InstallCheck:
    """Check what a step can import against RECORD files and locks; with `full`, read every byte and use no cache.

    The cache is written again whenever files were checked.
    """
    wall, cpu = time.perf_counter(), _spent()
    seen = DigestCache(place.about()) if full else DigestCache.read(place.seen, place.about())
    found, read = seen.told, 0
    if full or found is None or not seen.fresh():
        hashed = FileDigests(seen.known(), time.clock_gettime_ns(time.CLOCK_REALTIME))
        inventory = Inventory(hashed)
        with translating_os_errors(place.site):
            found = _take(inventory, place, full=full)
        read = hashed.bytes
        seen.write(place.seen, inventory.worth_seeing(), inventory.folders, found)
    unread = {path for path, _ in found["altered"] if is_unread(place.site, path)}
    altered = [AlteredFile(path, why, "unread" if path in unread else "file") for path, why in found["altered"]]
    packages = {name: _without(one, unread) for name, one in found["packages"].items() if normal_name(name) != OWN}
    altered += _unlike(packages, read_locks(place.locks))
    document = spell_environment(packages, found["loose"], NO_IMAGE, found["stdlib"])
    mend = AGAIN if IN_CHECKOUT else _mend(place, [one.path for one in altered if one.kind == "file"])
    spent = _spent() - cpu, time.perf_counter() - wall
    return InstallCheck(tuple(altered), document, found["files"], read, *spent, mend)


UNREAD_NOTES = re.compile(r"[^/]+\.dist-info/(INSTALLER|REQUESTED)")
TRUSTED = re.compile(r"(pip/_vendor/)?certifi/cacert\.pem")
LARGEST_BUNDLE = 1 << 24  # bytes
_CERTIFICATE = re.compile(rb"-----BEGIN CERTIFICATE-----\s([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----")


def is_unread(site: Path, path: str) -> bool:
    """Whether an altered file is of a class that no step reads, such as an installer's note to itself."""
    if UNREAD_NOTES.fullmatch(path):
        return True
    return bool(TRUSTED.fullmatch(path)) and _holds_certificates(site / path)


def _holds_certificates(path: Path) -> bool:
    """Whether a regular file holds certificates in PEM, with comments between them, and nothing else."""
    try:
        facts = path.lstat()
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > LARGEST_BUNDLE:
            return False
        data = path.read_bytes()
        held = [binascii.a2b_base64(b"".join(one.split()), strict_mode=True) for one in _CERTIFICATE.findall(data)]
    except (OSError, ValueError):
        return False
    others = _CERTIFICATE.sub(b"", data).splitlines()
    return bool(held) and not any(b"-----" in line for line in others) and _can_be_loaded(data)


def _can_be_loaded(data: bytes) -> bool:
    """Whether a library can load certificates, and read them as the text that they are."""
    import ssl  # noqa: PLC0415 - for an altered file only

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=data.decode("ascii"))
    except (ValueError, ssl.SSLError):
        return False
    return True


def _without(package: PackageEntry, unread: set[str]) -> PackageEntry:
    """Return a package's entry in an environment document without the files that no step reads."""
    names = tuple(f"{ascii_path(path)} " for path in unread)
    kept = [line for line in package.get("altered", ()) if not line.startswith(names)]
    entry: PackageEntry = {"version": package["version"], "record": package["record"]}
    if kept:
        entry["altered"] = kept
    return entry


def _mend(place: ImportPaths, paths: Sequence[str]) -> str:
    """Return the one command that mends altered files outside a checkout.

    It installs anew what packages brought, deletes what none brought, since no installation would replace it, and
    compiles our bytecode again.
    """
    python, altered, pins = shlex.quote(sys.executable), {*paths}, list[str]()
    compiled = {path for path in altered if path.startswith(f"{place.bytecode.name}/")}
    strange = altered - compiled
    for package in installed_packages(place.site):
        record = f"{package.name}-{package.version}.dist-info/RECORD"
        if mine := strange & {record, *(path for path, _ in brought_files(package))}:
            pins.append(f"{normal_name(package.name)}=={package.version}")
            strange -= mine
    words = [f"rm -r {shlex.join(f'{place.site}/{path}' for path in sorted(strange))}"] * bool(strange)
    words += [f"{python} -m pip install --force-reinstall --no-deps {' '.join(sorted(pins))}"] * bool(pins)
    words += [f"{python} -m harness.run.installed.setup"] * bool(compiled)
    return f"`{' && '.join(words)}`"


def _spent() -> float:
    """Return the CPU seconds that this process and the processes it waited for have used."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return math.fsum(one.ru_utime + one.ru_stime for one in used)


def _take(inventory: Inventory, place: ImportPaths, *, full: bool) -> InstalledFiles:
    packages, loose = inventory.packages(place.site, full=full)
    packages |= {one.name: package_entry(one) for one in _others_of_our_name(place.site)}
    paths = unlisted_path_files(place.site)
    inventory.hashed.take(f"{place.site}/{name}" for name in paths)  # so that a later start sees one that changed
    inventory.altered += [(name, CHANGES_IMPORTS) for name in paths] + [*unlisted_modules(place.site, loose)]
    stdlib = inventory.library(place.stdlib, place.machine)
    inventory.bytecode(place.bytecode)
    altered, files = sorted(inventory.altered), inventory.files
    return {"packages": packages, "loose": loose, "stdlib": stdlib, "altered": altered, "files": files}


def _others_of_our_name(site: Path) -> list[InstalledPackage]:
    """List an installed package of other authors with the former name of the harness: steps could import it."""
    found = (one for one in installed_packages(site) if one.name == OURS)
    return [one for one in found if not any(top == b"harness" or top.startswith(b"__editable__") for top in one.tops)]


def _unlike(packages: Mapping[str, PackageEntry], locks: PackageLocks) -> list[AlteredFile]:
    found = []
    for name, one in packages.items():
        kind, why = locks.flaw(name, one["version"], one["record"])
        if kind:
            path = f"{name}-{one['version']}.dist-info/RECORD" if kind == "file" else name
            found.append(AlteredFile(path, why, kind))
    return found


_LOOKS: dict[bool, InstallCheck] = {}


def check_once(*, full: bool = False) -> InstallCheck:
    """Check this installation once per process; later calls return the same result, whatever changed since."""
    if full not in _LOOKS:
        _LOOKS[full] = _LOOKS.get(True) or check_installed(import_paths(), full=full)
    return _LOOKS[full]


def checked_environment() -> bytes:
    """Return the environment document of this machine; raise MissingError if an installed file was altered."""
    found = check_once()
    if found.files_altered:
        raise altered_error(found)
    return found.environment


def altered_error(found: InstallCheck) -> MissingError:
    """Return the error that names the first altered files of a check, and says how to install them anew."""
    files = found.files_altered
    named = ", ".join(f"{one.path} ({one.why})" for one in files[:SHOWN])
    more = f" and {len(files) - SHOWN} more" if len(files) > SHOWN else ""
    return MissingError(f"installed files are not as they were installed: {named}{more}", next=found.mend)


def unread_fact(found: InstallCheck) -> dict[str, Any]:
    """Return, for the record, how many altered files no step reads, and the names of the first of them."""
    return {
        "files": len(found.unread),
        "first": [f"{ascii_path(one.path)} ({one.why})" for one in found.unread[:SHOWN]],
    }


def unread_text(fact: Mapping[str, Any]) -> str:
    """Return one line for people about the altered files that no step reads, from the record's fact."""
    more = int(fact["files"]) - len(fact["first"])
    named = ", ".join(fact["first"]) + (f" and {more} more" if more else "")
    return f"not as installed, though no step reads {'it' if fact['files'] == 1 else 'them'}: {named}"


LOCKS = Path(__file__).resolve().parents[2] / "lockfiles"


class CheckedFinder:
    """Finder of modules that finds what the interpreter would find, and refuses files that were altered."""

    def __init__(self, site: Path, locks: PackageLocks, bytecode: Path) -> None:
        self._site, self._locks, self._prefix = f"{site}/", locks, f"{bytecode}/"
        self._listed = read_list(bytecode) or {}
        self._packages = list(installed_packages(site))
        self._files: dict[str, dict[str, str]] = {}  # by top folder or module: the files that packages brought

    @classmethod
    def install(cls) -> None:
        """Put the packages of this interpreter on the path, and this finder before all others that could reach them."""
        site = os.path.realpath(sysconfig.get_path("purelib"))
        sys.path.append(site)
        sys.meta_path.insert(1, cls(Path(site), read_locks(LOCKS), Path(own_bytecode())))

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        """Find a module as `PathFinder` does; raise MissingError if the module or its bytecode was altered."""
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
        """Whether a file is what a package brought; a file passes if no package claims its top folder."""
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
            raise MissingError(f"{package.info}/RECORD is {why}", where=self._site, next=IMPORTED_AGAIN)


def _altered(path: str) -> MissingError:
    return MissingError("an installed file is not as it was installed", where=path, next=IMPORTED_AGAIN)


IMPORTED_AGAIN = (
    "install the packages anew (in a checkout: `rm -f .venv/ready && make setup`): nothing is judged with this one"
)
