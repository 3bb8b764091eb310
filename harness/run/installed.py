"""What is installed here, held against what was installed: every file that a step can import, by its bytes.

Each package says in its RECORD what it brought; the locks say which packages, and what a locked RECORD was. A start
believes what it saw of files that have not changed since (`seen.py`); a full check reads every byte.
"""

from __future__ import annotations

import os
import resource
import sys
import sysconfig
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.digest import sha256
from harness.engines.engine import NO_IMAGE
from harness.engines.local import BYTECODE
from harness.errors import MissingError
from harness.files import translating_os_errors as said
from harness.run.bytecode import list_of
from harness.run.closure import code_root
from harness.run.inventory import Inventory
from harness.run.locked import Locked, locked
from harness.run.packages import spell
from harness.run.seen import Hashed, Seen

SHOWN = 6  # altered files that an error names
AGAIN = "`rm -f .venv/ready && make setup` installs the packages anew, every file held against its hash"


@dataclass(frozen=True)
class Place:
    """Where what a step can import lies, and what it is held against."""

    site: Path  # the packages
    stdlib: Path
    machine: tuple[Path, ...]  # the interpreter itself, and what it is made of beside its library
    bytecode: Path  # our own; its list lies beside it
    locks: Path
    seen: Path  # the cache

    def about(self) -> dict[str, str]:
        """Say what a cache must be of to be this place's."""
        parts = [str(path) for path in (self.site, self.stdlib, *self.machine, self.bytecode) if path.exists()]
        return {"places": "\n".join(parts), "python": sys.version, "list": str(list_of(self.bytecode).exists())}


@dataclass(frozen=True)
class Altered:
    """Something that is not as it was installed or locked: a file below the packages, or a package."""

    path: str
    why: str
    kind: str = "file"  # file | version (the lock pins another) | unlocked (no lock pins any)


@dataclass(frozen=True)
class Look:
    """What was found at one look, what a step could import, and what the look cost."""

    altered: tuple[Altered, ...]
    environment: bytes  # the document
    files: int  # held against what they should be
    bytes: int  # read for it
    cpu: float
    wall: float

    @property
    def files_altered(self) -> tuple[Altered, ...]:
        """Give what no step may run with: files that are not the ones that were installed."""
        return tuple(one for one in self.altered if one.kind == "file")


def here() -> Place:
    """Say where it lies for the interpreter that runs the harness, as it runs the steps of this machine."""
    prefix = Path(os.path.realpath(sys.prefix))
    stdlib = Path(sysconfig.get_path("stdlib"))
    library = stdlib.parent
    digits = f"python{sys.version_info.major}{sys.version_info.minor}.zip"  # the first place where modules are sought
    parts = (Path(os.path.realpath(sys.executable)), library / digits, *sorted(library.glob("libpython*.so*")))
    machine = tuple(path for path in parts if path.is_file())
    seen = prefix / "packages.seen"
    if not os.access(prefix, os.W_OK):
        cache = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))
        seen = cache / "llm-harness" / f"{sha256(os.fsencode(prefix))[:16]}.seen"
    site = Path(os.path.realpath(sysconfig.get_path("purelib")))
    return Place(site, stdlib, machine, prefix / BYTECODE, code_root() / "lockfiles", seen)


def check(place: Place, *, full: bool) -> Look:
    """Hold what a step can import against what was installed and locked; in full, no cache is believed."""
    wall, cpu = time.perf_counter(), _spent()
    seen = Seen(place.about()) if full else Seen.read(place.seen, place.about())
    translating_os_errors: Mapping[str, Any] = seen.told
    read = 0
    if full or not seen.fresh():
        hashed = Hashed(seen.known(), time.clock_gettime_ns(time.CLOCK_REALTIME))
        inventory = Inventory(hashed)
        with said(place.site):
            translating_os_errors = _take(inventory, place, full=full)
        read = hashed.bytes
        seen.write(place.seen, inventory.worth_seeing(), inventory.folders, translating_os_errors)
    altered = [Altered(path, why) for path, why in translating_os_errors["altered"]]
    altered += _unlike(translating_os_errors["packages"], locked(place.locks))
    document = spell(
        translating_os_errors["packages"], translating_os_errors["loose"], NO_IMAGE, translating_os_errors["stdlib"]
    )
    return Look(
        tuple(altered), document, translating_os_errors["files"], read, _spent() - cpu, time.perf_counter() - wall
    )


def _spent() -> float:
    """Give the CPU that this process and those it waited for have used."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def _take(inventory: Inventory, place: Place, *, full: bool) -> dict[str, Any]:
    packages, loose = inventory.packages(place.site, full=full)
    stdlib = inventory.library(place.stdlib, place.machine)
    inventory.bytecode(place.bytecode)
    altered, files = sorted(inventory.altered), inventory.files
    return {"packages": packages, "loose": loose, "stdlib": stdlib, "altered": altered, "files": files}


def _unlike(packages: Mapping[str, Any], locks: Locked) -> list[Altered]:
    found = []
    for name, one in packages.items():
        kind, why = locks.flaw(name, one["version"], one["record"])
        if kind:
            path = f"{name}-{one['version']}.dist-info/RECORD" if kind == "file" else name
            found.append(Altered(path, why, kind))
    return found


_LOOKS: dict[bool, Look] = {}


def look(*, full: bool = False) -> Look:
    """Check this machine once a process: what changes while it runs is for the next one."""
    if full not in _LOOKS:
        _LOOKS[full] = _LOOKS.get(True) or check(here(), full=full)
    return _LOOKS[full]


def environment() -> bytes:
    """Give what a step of this machine could import, unless a file of it is not the one that was installed."""
    found = look()
    if found.files_altered:
        raise altered_error(found)
    return found.environment


def altered_error(found: Look) -> MissingError:
    """Name the files that are not what was installed: what they would make, nobody else could make again."""
    files = found.files_altered
    named = ", ".join(f"{one.path} ({one.why})" for one in files[:SHOWN])
    more = f" and {len(files) - SHOWN} more" if len(files) > SHOWN else ""
    return MissingError(f"installed files are not as they were installed: {named}{more}", next=AGAIN)
