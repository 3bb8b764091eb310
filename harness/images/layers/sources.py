"""Sources of Debian's archive: the URL a person gives, else what this machine's apt uses. No host is built in."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import InputError, MissingError
from harness.images.layers.layer import environment, program_error, require_program

OPTION, KEPT_OPTION = "--archive", "--snapshots"
SYSTEM = Path("/etc/os-release")
_BY_AGE = ("stable", "oldstable", "testing", "sid")
MOMENT = "@SNAPSHOTID@"  # as apt itself spells the moment in the address of a snapshot
_ADDRESS = re.compile(r"(https?|ftp|file|copy):[^\s'\"\[\]]{1,1000}")
_ASKED = re.compile(r"^'(\S+?)/*/dists/(\S+?)/(?:In)?Release(?:\.gpg)?' ", re.MULTILINE)
Pocket = tuple[str, str]  # where, and what of it


@dataclass(frozen=True)
class Archive:
    """Archive URLs that a person gave; empty where this machine's own apt is used."""

    now: str = ""
    snapshots: str = ""

    def __post_init__(self) -> None:
        """Refuse texts that apt would take for something else than a URL."""
        for option, address in ((OPTION, self.now), (KEPT_OPTION, self.snapshots)):
            if address and not _ADDRESS.fullmatch(address):
                raise InputError("this is no address of an archive", where=option, next="give a URL such as http://…")


def offering(archive: Archive, suite: str, folder: Path) -> list[Pocket]:
    """Find the sources of a suite, its updates and its security updates as of now; an error where apt has none.

    `folder` is scratch space.
    """
    if archive.now:
        return _pockets(archive.now, suite)
    own = dict(reversed([(pocket, where) for where, pocket in _own(folder)]))  # the first that apt would ask
    release = next((one for one in (suite, *_releases()) if one in own), "")
    if not release:
        raise MissingError(
            f"this machine's apt asks no archive for Debian {suite}",
            where="/etc/apt/sources.list.d",
            next=f"name one: {OPTION} URL (its signatures are checked against Debian's keyring)",
        )
    security = own.get(f"{release}-security", f"{own[release]}-security")
    return [(own[release], suite), (own.get(f"{release}-updates", own[release]), f"{suite}-updates"),
            (security, f"{suite}-security")]  # fmt: skip


def keeping(archive: Archive, suite: str, then: str, folder: Path) -> list[Pocket]:
    """Find the sources of a suite on a snapshot server, as of the moment `then`; an error where none is known."""
    where = archive.snapshots or _own_snapshots(folder)
    if not where:
        raise MissingError(
            "this machine's apt has no snapshot server of Debian's archive",
            next=f"name one: {KEPT_OPTION} URL, which has snapshots by their time ({then})",
        )
    whole, _, rest = where.partition(MOMENT)
    root = whole.rstrip("/")
    return [(f"{place}/{then}{rest}".rstrip("/"), pocket) for place, pocket in _pockets(root, suite)]


def shown(address: str) -> str:
    """Remove user name and password from a URL, so that it can be shown."""
    return re.sub(r"//[^/@\s]*@", "//", address)


def _pockets(root: str, suite: str) -> list[Pocket]:
    """Make the sources of a suite as Debian lays them out: security updates lie in an archive beside the other."""
    base = root.rstrip("/")
    return [(base, suite), (base, f"{suite}-updates"), (f"{base}-security", f"{suite}-security")]


def _own(folder: Path) -> list[Pocket]:
    """Read the sources this machine's apt would use, in whatever form they are written; nothing is fetched."""
    require_program("apt-get", "apt")
    (folder / "asked" / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    said = _apt(folder, "apt-get", "update", "--print-uris", "-o", f"Dir::State={folder / 'asked'}")
    return _ASKED.findall(said)


def _own_snapshots(folder: Path) -> str:
    """Find the snapshot server that newer versions of apt are configured with."""
    require_program("apt-config", "apt")
    said = _apt(folder, "apt-config", "dump", "--format", "%f %v%n", "Acquire::Snapshots::URI::Origin::Debian")
    found = re.search(r"^\S+ (\S+)$", said, re.MULTILINE)
    return found[1] if found and _ADDRESS.fullmatch(found[1]) else ""


def _apt(folder: Path, *words: str) -> str:
    own = {name: os.environ[name] for name in ("APT_CONFIG",) if name in os.environ}
    done = subprocess.run(
        words, cwd=folder, env={**environment(folder, network=True), **own}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    if done.returncode:
        raise program_error(
            f"{words[0]} {words[1]}", done.stderr or done.stdout, f"correct apt's sources, or {OPTION} URL"
        )
    return done.stdout


def _releases() -> tuple[str, ...]:
    """Release names of this machine's Debian, as its sources may write them; none on another system."""
    try:
        text = SYSTEM.read_text(errors="replace")
    except OSError:
        return ()
    told = dict(re.findall(r"^([A-Z_]+)=\"?([^\"\n]*)\"?$", text, re.MULTILINE))
    return (told.get("VERSION_CODENAME", ""), *_BY_AGE) if told.get("ID") == "debian" else ()


def lines(pockets: Sequence[Pocket], options: str) -> str:
    """Format sources as lines of a sources.list, each with the apt options `options`."""
    return "".join(f"deb [{options}] {where} {pocket} main\n" for where, pocket in pockets)
