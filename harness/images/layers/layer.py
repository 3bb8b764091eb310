"""Reproducible tar of a layer: its bytes depend on its contents alone, not on a clock, a user or a folder's order."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from harness.digest import CHUNK
from harness.errors import HarnessError, InputError, MissingError
from harness.files import translating_os_errors


class Layer:
    """Tar writer: every folder once, before its contents, and one date for everything."""

    def __init__(self, tar: tarfile.TarFile, epoch: int) -> None:
        self._tar = tar
        self._epoch = epoch
        self._folders: set[str] = set()
        self._files: set[str] = set()

    def add(self, member: tarfile.TarInfo, content: IO[bytes] | None = None) -> None:
        """Add a member with its own owner IDs and mode, dated at the epoch; names of owners are dropped."""
        member.mtime, member.uname, member.gname, member.pax_headers = self._epoch, "", "", {}
        if member.isdir():
            self._folders.add(member.name)
        self._tar.addfile(member, content)

    def file(self, name: str, size: int, content: IO[bytes], mode: int = 0o644) -> None:
        """Add a regular file owned by root, after its parent folders; a path that was already added is skipped."""
        if name in self._files:
            return
        self._files.add(name)
        for folder in reversed(PurePosixPath(name).parents[:-1]):
            if str(folder) not in self._folders:
                above = tarfile.TarInfo(str(folder))
                above.type, above.mode = tarfile.DIRTYPE, 0o755
                self.add(above)
        member = tarfile.TarInfo(name)
        member.size, member.mode = size, mode
        self.add(member, content)


@contextmanager
def open_layer(path: Path, epoch: int) -> Iterator[Layer]:
    """Context manager that opens a layer's tar for writing; the tar is complete only after the block."""
    with (
        translating_os_errors(path),
        open(path, "wb", buffering=CHUNK) as file,
        tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as tar,
    ):
        yield Layer(tar, epoch)


_FULL = re.compile(r"no space left on device|disk quota exceeded|file too large", re.IGNORECASE)


def build_environment(temp: Path, *, network: bool = False) -> dict[str, str]:
    """Return all environment variables of a build program, so that nothing of the user's shell reaches an image.

    A program that uses the network also gets the user's proxies and pip's settings; its downloads are checked by
    digest.
    """
    wanted = re.compile(r"(?i)\w*_proxy|PIP_\w+|SSL_CERT_\w+|NETRC")
    kept = {name: value for name, value in os.environ.items() if network and wanted.fullmatch(name)}
    home = os.environ.get("HOME", str(temp)) if network else str(temp)  # which holds pip's settings
    fixed = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    return {**kept, **fixed, "HOME": home, "TMPDIR": str(temp)}


def require_program(program: str, package: str) -> str:
    """Return the path of a program, or raise an error that names the Debian package with it."""
    found = shutil.which(program)
    if not found:
        raise MissingError(f"{program} is not installed", next=f"apt-get install {package}")
    return found


def program_error(what: str, said: str, advice: str) -> HarnessError:
    """Return the error of a failed program: the usual one for a full disk, else the program's last lines."""
    lines = [line for line in said.strip().splitlines() if line.strip()]
    if full := next((line for line in lines if _FULL.search(line)), ""):
        return MissingError(
            "the disk is full",
            where=full[:300],
            next="free some room and run again: everything finished so far is kept",
        )
    return MissingError(f"{what} failed: " + "; ".join(line[:240] for line in lines[-3:]), next=advice)


OPTION, KEPT_OPTION = "--archive", "--snapshots"
SYSTEM = Path("/etc/os-release")
_BY_AGE = ("stable", "oldstable", "testing", "sid")
MOMENT = "@SNAPSHOTID@"  # as apt itself spells the time in the URL of a snapshot
_ADDRESS = re.compile(r"(https?|ftp|file|copy):[^\s'\"\[\]]{1,1000}")
_ASKED = re.compile(r"^'(\S+?)/*/dists/(\S+?)/(?:In)?Release(?:\.gpg)?' ", re.MULTILINE)
Pocket = tuple[str, str]  # URL, and suite


@dataclass(frozen=True)
class Archive:
    """Archive URLs that a person gave; empty if this machine's own apt is used."""

    now: str = ""
    snapshots: str = ""

    def __post_init__(self) -> None:
        """Raise InputError for texts that apt would not read as a URL."""
        for option, address in ((OPTION, self.now), (KEPT_OPTION, self.snapshots)):
            if address and not _ADDRESS.fullmatch(address):
                raise InputError("this is no address of an archive", where=option, next="give a URL such as http://…")


def current_sources(archive: Archive, suite: str, folder: Path) -> list[Pocket]:
    """Return the sources of a suite, its updates and its security updates as of now; an error if apt has none.

    `folder` is scratch space.
    """
    if archive.now:
        return _pockets(archive.now, suite)
    own = dict(reversed([(pocket, where) for where, pocket in _own(folder)]))  # the first one that apt would use
    release = next((one for one in (suite, *_releases()) if one in own), "")
    if not release:
        raise MissingError(
            f"this machine's apt asks no archive for Debian {suite}",
            where="/etc/apt/sources.list.d",
            next=f"name one: {OPTION} URL (its signatures are checked against Debian's keyring)",
        )
    security = own.get(f"{release}-security", f"{own[release]}-security")
    return [
        (own[release], suite),
        (own.get(f"{release}-updates", own[release]), f"{suite}-updates"),
        (security, f"{suite}-security"),
    ]


def snapshot_sources(archive: Archive, suite: str, then: str, folder: Path) -> list[Pocket]:
    """Return the sources of a suite on a snapshot server, as of the time `then`; an error if no server is known."""
    where = archive.snapshots or _own_snapshots(folder)
    if not where:
        raise MissingError(
            "this machine's apt has no snapshot server of Debian's archive",
            next=f"name one: {KEPT_OPTION} URL, which has snapshots by their time ({then})",
        )
    whole, _, rest = where.partition(MOMENT)
    root = whole.rstrip("/")
    return [(f"{place}/{then}{rest}".rstrip("/"), pocket) for place, pocket in _pockets(root, suite)]


def public_url(address: str) -> str:
    """Return a URL without user name and password, for messages."""
    return re.sub(r"//[^/@\s]*@", "//", address)


def _pockets(root: str, suite: str) -> list[Pocket]:
    """Return the sources of a suite in Debian's layout: security updates are in an archive beside the main one."""
    base = root.rstrip("/")
    return [(base, suite), (base, f"{suite}-updates"), (f"{base}-security", f"{suite}-security")]


def _own(folder: Path) -> list[Pocket]:
    """Return the sources that this machine's apt would use, in any format; nothing is fetched."""
    require_program("apt-get", "apt")
    (folder / "asked" / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    said = _apt(folder, "apt-get", "update", "--print-uris", "-o", f"Dir::State={folder / 'asked'}")
    return _ASKED.findall(said)


def _own_snapshots(folder: Path) -> str:
    """Return the snapshot server in the configuration of newer versions of apt; empty if there is none."""
    require_program("apt-config", "apt")
    said = _apt(folder, "apt-config", "dump", "--format", "%f %v%n", "Acquire::Snapshots::URI::Origin::Debian")
    found = re.search(r"^\S+ (\S+)$", said, re.MULTILINE)
    return found[1] if found and _ADDRESS.fullmatch(found[1]) else ""


def _apt(folder: Path, *words: str) -> str:
    own = {name: os.environ[name] for name in ("APT_CONFIG",) if name in os.environ}
    done = subprocess.run(
        words,
        cwd=folder,
        env={**build_environment(folder, network=True), **own},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        raise program_error(
            f"{words[0]} {words[1]}", done.stderr or done.stdout, f"correct apt's sources, or {OPTION} URL"
        )
    return done.stdout


def _releases() -> tuple[str, ...]:
    """Return the release names of this machine's Debian, as its sources may write them; empty on another system."""
    try:
        text = SYSTEM.read_text(errors="replace")
    except OSError:
        return ()
    told = dict(re.findall(r"^([A-Z_]+)=\"?([^\"\n]*)\"?$", text, re.MULTILINE))
    return (told.get("VERSION_CODENAME", ""), *_BY_AGE) if told.get("ID") == "debian" else ()


def format_sources(pockets: Sequence[Pocket], options: str) -> str:
    """Format sources as lines of a sources.list, each with the apt options `options`."""
    return "".join(f"deb [{options}] {where} {pocket} main\n" for where, pocket in pockets)
